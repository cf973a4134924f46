// When peers are told that their frames were carried out.
//
// Acknowledgements ride on what is sent anyway, and go alone only when nothing comes in any more, or too much has.
#pragma once

#include "device/wire/send/frame_sender.hpp"
#include "device/wire/state/wire_state.hpp"

#include <cstdint>
#include <vector>

namespace polder::device::wire {

class Acknowledger {
 public:
  static constexpr std::uint32_t kDebtLimit = 16;  // frames that a sender may have to wait for at most

  explicit Acknowledger(FrameSender& sender) : sender_(sender) {}

  // A frame has been carried out. With `limit` of them it is said at once.
  void note_debt(Link& link, Acknowledgement due, std::uint32_t limit) POLDER_REQUIRES(kWorker);

  bool owes_any() const POLDER_REQUIRES(kWorker) { return !owing_.empty(); }
  // Some peer waits for it.
  bool is_awaited() const POLDER_REQUIRES(kWorker) { return is_awaited_; }
  void acknowledge_all() POLDER_REQUIRES(kWorker);

 private:
  FrameSender& sender_;
  std::vector<Link*> owing_ POLDER_GUARDED_BY(kWorker);
  bool is_awaited_ POLDER_GUARDED_BY(kWorker) = false;
};

}  // namespace polder::device::wire
