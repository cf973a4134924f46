// The blocks that a rank multiplies, as they come: its own and its neighbours' are read where they lie, those from afar are
// fetched by one-sided gets while it computes, and kept for later steps as long as there is room.
#pragma once

#include "plan.hpp"

#include <polder/handle.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace contract {

// Fewest buffers: of two steps, one computed and one on its way. The paper's active and inactive pairs.
inline constexpr std::uint64_t kFewestBuffers = 4;

struct FlowNumbers {
  double waiting = 0;  // seconds, for blocks that had not come yet
  std::uint64_t fetched_blocks = 0, fetched_bytes = 0;
  std::uint64_t far_reads = 0;  // operands of steps that were from afar, fetched for that step or kept
};

// Of one thread of its rank.
class OperandFlow {
 public:
  // `product` must outlive it, and all ranks must have their blocks ready before take() is called.
  OperandFlow(const apps::Team& team, const Product& product) : team_(team), product_(product) {}
  ~OperandFlow();
  OperandFlow(const OperandFlow&) = delete;
  OperandFlow& operator=(const OperandFlow&) = delete;

  // Not collective. Plans the steps, and makes room for as many blocks from afar as `bytes` hold, four at least.
  Status prepare(std::uint64_t bytes);

  const std::vector<Step>& steps() const { return steps_; }

  // The blocks of a step, each step once and in order; they stay until the next call. Blocks for later steps are on their
  // way when it returns. timeout, peer_failed: a block did not come.
  Result<std::array<const std::byte*, 2>> take(std::size_t step);

  const FlowNumbers& numbers() const { return numbers_; }

 private:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  struct Buffer {
    std::uint64_t block = kNever;   // what it holds: twice the number of a block, and one more if it is of the second
    std::size_t next_use = kNever;  // the next step that wants it
    polder::Handle arrival;
  };

  const BlockMatrix& matrix(unsigned which) const { return which == 0 ? product_.first : product_.second; }
  static std::uint64_t id_of(const Step& step, unsigned which) {
    return 2 * (which == 0 ? step.first : step.second) + which;
  }
  Status find_neighbours();
  void look_ahead();
  Status make_buffers(std::uint64_t bytes);
  const std::byte* near_block(unsigned which, std::uint64_t block) const;
  Result<bool> want(std::size_t step);
  std::size_t buffer_for(std::size_t step) const;
  Status fetch(std::size_t buffer, std::uint64_t id, std::size_t step);
  Status fetch_ahead(std::size_t step);
  Status settle();
  Status failed(std::size_t buffer, const Status& status) const;
  Result<const std::byte*> arrived(std::uint64_t id);
  void leave(std::size_t step);
  std::byte* memory(std::size_t buffer) const { return segment_.data + buffer * slot_bytes_; }

  const apps::Team& team_;
  Product product_;
  std::vector<Step> steps_;
  std::array<std::vector<std::byte*>, 2> near_;       // of each matrix, by rank: its memory, or null
  std::array<std::vector<std::size_t>, 2> next_use_;  // by step: the next step that wants the same block
  std::uint64_t far_blocks_ = 0;                      // different ones
  std::vector<Buffer> buffers_;
  std::unordered_map<std::uint64_t, std::size_t> holder_;  // of a block: its buffer
  std::vector<std::size_t> under_way_;                     // buffers whose block has not been seen to arrive
  polder::Segment segment_;
  std::uint64_t slot_bytes_ = 0;
  std::size_t ahead_ = 0;  // steps before it have all their blocks here or on their way
  FlowNumbers numbers_;
};

}  // namespace contract
