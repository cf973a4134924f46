// The ranks of one machine find each other under a name: the first of them is the host, the others are its guests. When
// all are there, the host makes the job page and gives it to everyone.
#pragma once

#include "bootstrap/gathered/crew.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace polder::bootstrap::gathered {

struct Party {
  std::vector<Rank> ranks;  // who meets, upwards; the first is the host
  Rank me = 0;
  Rank job_size = 1;                  // with those of other machines
  std::uint64_t job_id = 0;           // what the host gives to the page; 0: a random one
  std::string called;                 // the variable that says which rank a process is, for messages
  std::string advice;                 // what those can do who wait in vain: "; ..."
  std::function<std::string()> name;  // where they meet; may change while they wait, for all of them alike
};

// Not thread safe.
class Meeting {
 public:
  virtual ~Meeting() = default;

  // timeout: not all were there in time, and the message says who was missing; call again to go on. exists: for half a
  // minute another process has been this rank; invalid_argument: the host sent this rank away, and why.
  virtual Result<Crew> meet(Timeout timeout) = 0;
};

}  // namespace polder::bootstrap::gathered
