// Ending the process of a rank of another node: a message asks its runtime, whose helper answers, not its program.
#pragma once

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

namespace polder::core {

class Peers;
class Progress;
class Requests;
struct Outside;
struct Request;

class RemoteEnd {
 public:
  RemoteEnd(Outside& outside, Progress& progress, Peers& peers, Requests& requests);

  // The process of `rank` has ended; only if that cannot be done it answers before its link breaks. timeout: it does
  // not.
  Status end(Rank rank, Timeout timeout);

 private:
  void obey(const Request& request);

  Outside& outside_;
  Progress& progress_;
  Peers& peers_;
  Requests& requests_;
};

}  // namespace polder::core
