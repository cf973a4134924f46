// The window of one member of several, of which the others are made up: a test puts there what they would send.
#pragma once

#include "coll/port/window.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::coll {

class LoneWindow final : public WindowPort {
 public:
  LoneWindow(Rank me, Rank size, std::size_t bytes, std::uint32_t flags)
      : WindowPort(me, size), memory_(bytes), flags_(flags) {
    show(memory_.data(), flags_.data());
  }

  Rank rank_of(Rank member) const override { return 10 * member; }
  bool is_gone(Rank) const override { return false; }
  bool has_died(Rank) const override { return false; }
  void use_stream(unsigned) override {}
  bool is_drained() const override { return true; }
  // What leaves is lost, and there is always room.
  bool put(Rank, std::uint64_t, const void*, std::size_t, const Notification&) override { return true; }
  bool raise(Rank, NotificationId, std::uint32_t) override { return true; }
  bool get(void*, Rank, std::uint64_t, std::size_t, Handle&) override { return true; }
  bool compare_swap(std::uint64_t&, Rank, std::uint64_t, std::uint64_t, std::uint64_t, Handle&) override {
    return true;
  }
  Fetched look_at(Handle&, Rank) override { return Fetched::yes; }
  Status trouble() const override { return {}; }
  util::Clock clock() const override { return {}; }

  // As if a peer had done it.
  void raise_here(NotificationId flag, std::uint32_t value) { flags_[flag].store(value, std::memory_order_release); }

 private:
  std::vector<std::byte> memory_;
  std::vector<std::atomic<std::uint32_t>> flags_;
};

}  // namespace polder::coll
