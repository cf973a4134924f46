// The ranks of a job, as far as those who share a file need to know. Each application has a team of its own, with more.
#pragma once

#include <polder/status.hpp>

#include <cstdint>
#include <functional>

namespace apps {

using polder::Code;
using polder::Result;
using polder::Status;

// The largest number of all ranks; collective.
using Maximum = std::function<Result<std::uint64_t>(std::uint64_t mine)>;

struct Crew {
  unsigned rank = 0;
  Maximum maximum;
  // Collective: as vote(), or what the application makes of it.
  std::function<Status(const Status& mine)> agree;
};

// A rank that stops because another one did: an error without a text, so that only the culprit speaks.
inline Status stopped_by_another() {
  return Code::closed;
}

// Ends a phase: success if it is everybody's. Otherwise all ranks get an error: the lowest one whose own it is, `mine`;
// the others stopped_by_another(), so that a mistake all ranks noticed (a missing file) is told once.
Status vote(unsigned rank, unsigned size, const Status& mine, const Maximum& maximum);

}  // namespace apps
