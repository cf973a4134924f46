// A broadcast through memory that all members of a group can read.
//
// The root shows a chunk on its board, all meet, the others read it. Each board has two halves used in turn, so that
// the next chunk can be written while some member still reads the last one: who has come to the next meeting has read
// it. One barrier for each chunk of 64 kB, and S bytes read per member.
#pragma once

#include <polder/allocation.hpp>
#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace polder::armci {

class ArmciRank;

class Board {
 public:
  // Collective.
  static Result<std::unique_ptr<Board>> make(ArmciRank& self, Group& group);

  // Collective: `bytes` of the rank `root` come to all.
  Status broadcast(ArmciRank& self, Group& group, Rank root, std::span<std::byte> bytes);

 private:
  static constexpr std::size_t kHalf = std::size_t{64} * 1024;

  explicit Board(std::unique_ptr<Allocation> memory) : memory_(std::move(memory)) {}
  Status show(ArmciRank& self, Group& group, Rank root, std::span<std::byte> chunk);

  std::unique_ptr<Allocation> memory_;
  std::size_t half_ = 0;  // the one to use next
};

}  // namespace polder::armci
