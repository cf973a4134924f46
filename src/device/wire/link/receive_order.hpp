// Which frames of a peer have been carried out, in the order of their numbers, and what it has been told of that.
#pragma once

#include "device/wire/format/protocol.hpp"
#include "util/assert.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace polder::device::wire {

// Under the device's lock.
class ReceiveOrder {
 public:
  // As if all up to that one had been carried out.
  explicit ReceiveOrder(std::uint32_t received = 0) : received_(received), acknowledged_(received) {}

  bool any() const { return received_ != 0; }
  bool is_next(std::uint32_t number) const { return number == received_ + 1; }
  bool is_latest(std::uint32_t number) const { return number == received_; }

  // Whether a frame that came before its turn is kept: at most `limit` are, and none that has been carried out.
  bool may_keep(std::uint32_t number, std::size_t limit) const {
    return after(number, received_ + 1) && early_.size() < limit;
  }
  std::vector<std::byte>& keep(std::uint32_t number) { return early_[number]; }
  // The next one, if it has been kept.
  std::optional<std::vector<std::byte>> take_kept() {
    const auto next = early_.find(received_ + 1);  // not the lowest number, where they wrap around
    if (next == early_.end()) return {};
    return std::move(early_.extract(next).mapped());
  }

  // REQUIRES: is_next(number).
  void carried_out(std::uint32_t number) {
    POLDER_ASSERT(is_next(number));
    received_ = number;
  }

  // Of the frame that is being carried out something was refused, and the word of that has to wait: an acknowledgement would
  // overtake it, so none is given of this one and of later ones until release().
  void withhold() {
    if (!withheld_) withheld_ = received_ + 1;
  }
  void release() { withheld_.reset(); }

  // What may be acknowledged, but is not yet.
  std::uint32_t debt() const { return done() - acknowledged_; }
  // Goes out with the next frame: all up to this number are done.
  std::uint32_t acknowledge() {
    POLDER_ASSERT(!after(acknowledged_, done()));
    return acknowledged_ = done();
  }

  // The peer is lost, and numbers begin anew.
  void clear() {
    received_ = acknowledged_ = 0;
    withheld_.reset();
    early_.clear();
  }

 private:
  std::uint32_t done() const { return withheld_ ? *withheld_ - 1 : received_; }

  std::uint32_t received_;      // all up to this one were carried out
  std::uint32_t acknowledged_;  // and the peer knows that, up to this one
  std::optional<std::uint32_t> withheld_;
  std::map<std::uint32_t, std::vector<std::byte>> early_;  // by number; all behind the next
};

}  // namespace polder::device::wire
