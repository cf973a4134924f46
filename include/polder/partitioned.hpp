// A collective whose vector becomes ready in parts: each part is on its way while later ones are still computed.
//
//   auto sum = *Partitioned::allreduce(rt.world(), spec, mine, result, 16);
//   for (step ...) {
//     for (std::size_t part = 0; part < 16; ++part) { compute(part); sum.ready(part); }
//     Status status = sum.wait(1s);
//   }
//
// Parts begin in ascending order at every member, because members number the collectives of a group as they begin them: a
// part begins once it and all before it are ready here. Between the first ready() and the end of wait() a member begins
// no other collective of this group.
#pragma once

#include <polder/collective.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstddef>
#include <memory>

namespace polder {

// Persistent: after wait() has returned success it begins anew with the first ready(). One thread at a time. It must not
// outlive its group. One that goes while parts are under way leaves a group whose members wait in vain.
class POLDER_API Partitioned {
 public:
  static constexpr std::size_t kMostParts = 1024;

  // Arguments as in collective.hpp, the same at all members; `parts` equal ones, as far as whole elements (bytes of a
  // broadcast) go. invalid_size: none, or more than kMostParts. O(parts) memory.
  static Result<Partitioned> broadcast(Group& group, Rank root, void* data, std::size_t bytes, std::size_t parts);
  static Result<Partitioned> reduce(Group& group, Rank root, const ReductionSpec& spec, const void* send, void* receive,
                                    std::size_t parts);
  static Result<Partitioned> allreduce(Group& group, const ReductionSpec& spec, const void* send, void* receive,
                                       std::size_t parts);
  ~Partitioned();
  Partitioned(Partitioned&&) noexcept;
  Partitioned& operator=(Partitioned&&) noexcept;

  std::size_t parts() const;
  // The first element (byte) of a part; that of `parts()` is the end. REQUIRES: part <= parts().
  std::size_t begin_of(std::size_t part) const;

  // What this member brings to the part is there, and its place for the result may be written. In any order; does not
  // wait. invalid_argument: there is no such part, or it has been ready in this round. Else as Collective::start().
  Status ready(std::size_t part);
  // All that are not ready yet.
  Status ready_all();
  // Whether the part has ended, its result being there if it ended well; makes progress. REQUIRES: part < parts().
  bool test(std::size_t part);
  // Until all parts have ended. timeout: call again to go on. invalid_argument: a part, which is named, is not ready.
  // Else the first error of a part, by number; the others have ended, or are given up with their group.
  Status wait(Timeout timeout);

 private:
  struct State;
  explicit Partitioned(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace polder
