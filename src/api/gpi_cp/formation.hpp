// Members that keep each other's copies: a group of the library's own, so that barriers and agreements of the program's group
// meet none of ours, and the checkpoint over it.
#pragma once

#include "api/common/deadline.hpp"

#include <polder/checkpoint.hpp>
#include <polder/group.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace polder::gpi_cp {

using Range = std::span<std::byte>;

// How long a call waits before it looks again whether a rank is gone that others have heard of elsewhere.
inline Timeout slice_of(Timeout left) {
  constexpr Timeout kSlice = std::chrono::milliseconds(20);
  return left.nanoseconds() < kSlice.nanoseconds() ? left : kSlice;
}

struct Formation {
  std::unique_ptr<Group> group;
  std::unique_ptr<Checkpoint> checkpoint;  // ends before the group
  std::uint32_t mirrors = 1;               // wanted; fewer where there are not so many others
  bool opened = false;

  // Collective, both; timeout: call again to go on.
  Status meet(const api::Deadline& deadline) { return group->committed() ? Status() : group->commit(deadline.left()); }
  // Copies of `range`; the first commit has the number after `epoch`.
  Status open(Runtime& rt, Range range, std::uint64_t epoch, const api::Deadline& deadline) {
    if (checkpoint == nullptr) {
      const std::uint32_t most = std::min(mirrors, std::uint32_t(group->size() - 1));
      checkpoint = std::make_unique<Checkpoint>(rt, *group, CheckpointSpec{.mirrors = most, .first_epoch = epoch});
      if (Status status = checkpoint->add(range.data(), range.size()); !status.ok()) return status;
    }
    if (Status status = checkpoint->open(deadline.left()); !status.ok()) return status;
    opened = true;
    return {};
  }
};

}  // namespace polder::gpi_cp
