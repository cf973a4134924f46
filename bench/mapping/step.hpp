// The step that orders of ranks are judged by: each member puts to its neighbours in a grid, one after the other, and waits for each
// put (the stencil kernel of Idrees, Fuchs, Glass 2016, 5.1); then for what they have put here.
#pragma once

#include <polder/runtime.hpp>
#include <polder/topology.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bench {

// Members of a group that talk to each other as places of the grid of the same number. Is a World of sampling.hpp.
class GridStep {
 public:
  // Collective over the group. Ends the program with a message if anything fails, as all calls do.
  GridStep(polder::Runtime& runtime, polder::Group& group, const polder::CommunicationPattern& pattern,
           std::size_t most_bytes);
  ~GridStep();
  GridStep(const GridStep&) = delete;
  GridStep& operator=(const GridStep&) = delete;

  void run(std::size_t bytes);

  int rank() const { return int(group_.index()); }
  int size() const { return int(group_.size()); }
  void barrier();
  std::uint64_t from_zero(std::uint64_t value) { return gather(value).front(); }
  std::uint64_t largest(std::uint64_t value);

 private:
  struct Neighbour {
    polder::Rank member;
    polder::Rank slot;  // of this member, among those that the neighbour receives from
  };

  std::vector<std::uint64_t> gather(std::uint64_t value);
  polder::NotificationId flag(polder::Rank slot) const { return 2 * slot + polder::NotificationId(round_ % 2); }

  polder::Runtime& runtime_;
  polder::Group& group_;
  std::size_t most_bytes_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::byte> source_;
  std::unique_ptr<polder::Allocation> slots_;  // for each neighbour room for what it puts, and two flags
  std::uint64_t round_ = 0;
};

// Ends the program unless `status` is ok.
void ensure(const polder::Status& status, const char* what);

}  // namespace bench
