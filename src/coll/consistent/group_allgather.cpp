// The allgather of a group. On one node: the one that set-up uses. Between nodes, a little of each member: a reduction
// of vectors of all parts, in which those of others are zero; it takes one way of the network, and a node sends room for
// all parts once. More of each: a collective like any other.
#include "coll/consistent/blocking.hpp"
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace polder {
namespace {

// All parts together, bytes, up to which one way of the network is worth that each node sends room for all of them.
constexpr std::size_t kMerged = 4096;

Status merge_bytes(const void* one, const void* two, void* result, std::size_t count) {
  const auto *a = static_cast<const unsigned char*>(one), *b = static_cast<const unsigned char*>(two);
  auto* const both = static_cast<unsigned char*>(result);
  for (std::size_t i = 0; i < count; ++i) both[i] = a[i] | b[i];
  return {};
}

Status merge(Group& group, std::span<const std::byte> mine, std::span<std::byte> all, Timeout timeout) {
  const coll::Arguments arguments{.kind = coll::Kind::allreduce,
                                  .spec = {.count = all.size(), .element_size = 1, .combine = merge_bytes},
                                  .send = all.data(),
                                  .receive = all.data()};
  const auto fill = [&] {
    std::array<std::byte, kMerged> own;  // `mine` may be a part of `all`
    const auto end = std::copy(mine.begin(), mine.end(), own.begin());
    std::fill(all.begin(), all.end(), std::byte{0});
    std::copy(own.begin(), end, all.begin() + std::ptrdiff_t(group.index() * mine.size()));
  };
  return coll::run_blocking(group, arguments, timeout, std::cref(fill));
}

}  // namespace

Status Group::allgather(std::span<const std::byte> mine, std::span<std::byte> all, Timeout timeout) {
  if (state_->nodes().one()) return state_->allgather(mine, all, timeout);
  if (Status status = state_->check_gather(mine, all); !status.ok()) return status;
  if (all.size() <= kMerged) return merge(*this, mine, all, timeout);
  const std::vector<std::size_t> parts(size(), mine.size());
  return coll::run_blocking(
      *this, {.kind = coll::Kind::allgather, .send = mine.data(), .receive = all.data(), .parts = parts}, timeout);
}

Result<std::span<const std::byte>> Group::allgather(std::span<const std::byte> mine, Timeout timeout) {
  const core::Busy running(kept_.busy);
  if (!running.mine()) return core::busy("gathering collective");
  if (kept_.under_way && kept_.mine.size() != mine.size())
    return Status(Code::busy, "allgather of " + std::to_string(mine.size()) + " bytes: one of " +
                                  std::to_string(kept_.mine.size()) + " is under way since it timed out");
  if (!kept_.under_way) {
    kept_.mine.assign(mine.begin(), mine.end());
    kept_.all.resize(mine.size() * size());
  }
  Status status = allgather(kept_.mine, kept_.all, timeout);
  // A call that found another thread's in its way says nothing of this one.
  if (status.code() != Code::busy) kept_.under_way = status.timed_out();
  if (!status.ok()) return status;
  return std::span<const std::byte>(kept_.all);
}

}  // namespace polder
