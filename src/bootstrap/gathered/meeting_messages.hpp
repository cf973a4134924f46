// What host and guests of a meeting say to each other. A guest sends its Introduction; the host answers, at once or later.
#pragma once

#include "bootstrap/gathered/introduction.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace polder::bootstrap::gathered {

struct Reply {
  enum Kind : std::uint32_t {
    waiting,  // `text`: for whom
    taken,    // another guest is this rank; it may be of a second job of the same name, so come again
    refused,  // `text`: why
    seated,   // all are there; the job page comes with this message
  };
  Kind kind;
  char text[252];
};

Reply make_reply(Reply::Kind kind, const std::string& text = "");

// "rank 2 of 4 did not come", "ranks 1, 2 and 3 of 4 did not come"
std::string describe_missing(const std::vector<Rank>& missing, Rank size);

// A rank whose place is another's waits for as long as it may take until that one's job has come together.
inline constexpr std::chrono::seconds kTakenPatience{30};
// After which a wait is worth a line in the log.
inline constexpr std::chrono::seconds kSilentWait{10};

}  // namespace polder::bootstrap::gathered
