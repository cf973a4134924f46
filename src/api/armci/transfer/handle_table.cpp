#include "api/armci/transfer/handle_table.hpp"

#include <algorithm>
#include <utility>

namespace polder::armci {
namespace {

constexpr std::size_t kSweepFrom = 256;  // slots; before that, who never waits is not worth looking for
constexpr int kAges = 1 << 14;

}  // namespace

HandleTable::Slot* HandleTable::find(int name) {
  const auto index = std::size_t(name & ((1 << kSlotBits) - 1));
  if (name <= 0 || index >= slots_.size()) return nullptr;
  Slot& slot = slots_[index];
  return slot.taken && slot.age == name >> kSlotBits ? &slot : nullptr;
}

void HandleTable::release(Slot& slot) {
  slot.handle = Handle();
  slot.failure = Status();
  slot.taken = slot.lent = false;
  slot.wrapped = slot.wrapped || slot.age == kAges - 1;
  slot.age = slot.age % (kAges - 1) + 1;
  free_.push_back(&slot);
}

// Programs may end operations by ARMCI_WaitAll alone. What failed keeps its name, and somebody who may still ask.
void HandleTable::sweep() {
  for (Slot& slot : slots_) {
    if (!slot.taken || slot.lent || !slot.failure.ok() || !slot.handle.idle()) continue;
    slot.failure = ended(slot.handle);
    if (slot.failure.ok()) release(slot);
  }
}

Status HandleTable::end_all() {
  const std::lock_guard lock(mutex_);
  Status first;
  for (Slot& slot : slots_) {
    if (!slot.taken || slot.lent || !slot.handle.idle()) continue;
    Status failure = slot.failure.ok() ? ended(slot.handle) : std::move(slot.failure);
    if (first.ok()) first = std::move(failure);
    release(slot);
  }
  return first;
}

// Null: all names are given.
HandleTable::Slot* HandleTable::free_slot() {
  if (free_.empty() && slots_.size() >= std::min(kSweepFrom, most_)) sweep();
  if (free_.empty()) {
    if (slots_.size() == most_) return nullptr;
    return &slots_.emplace_back(Slot{.index = int(slots_.size())});
  }
  Slot* const slot = free_.back();
  free_.pop_back();
  return slot;
}

Status HandleTable::keep(armci_hdl_t& named, Handle handle) {
  {
    const std::lock_guard lock(mutex_);
    if (Slot* const slot = free_slot(); slot != nullptr) {
      slot->handle = std::move(handle);
      slot->taken = true;
      named.target = slot->age << kSlotBits | slot->index;
      return {};
    }
  }
  named.target = 0;
  return handle.wait(Completion::local, Timeout::block());
}

HandleTable::Lent HandleTable::lend(const armci_hdl_t& named) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = find(named.target);
  if (slot == nullptr || slot->lent) return {.handle = Handle(kind_of(named))};
  slot->lent = true;
  return {.handle = std::move(slot->handle), .failure = std::exchange(slot->failure, Status()), .slot = slot};
}

// Under the same name, which copies of the handle have as well.
Status HandleTable::give_back(armci_hdl_t& named, Lent lent) {
  if (lent.slot == nullptr) return keep(named, std::move(lent.handle));
  const std::lock_guard lock(mutex_);
  lent.slot->handle = std::move(lent.handle);
  lent.slot->lent = false;
  return {};
}

// Nothing is under way any more, or nobody asks.
Status HandleTable::end(armci_hdl_t& named, Lent& lent) {
  Status failure = lent.handle.idle() ? ended(lent.handle) : Status();
  named.target = 0;
  if (lent.slot == nullptr) return failure;
  const std::lock_guard lock(mutex_);
  release(*lent.slot);
  return failure;
}

// Ages begin anew after some thousand uses of a slot; then every age was given.
bool HandleTable::was_given(const armci_hdl_t& named) {
  const std::lock_guard lock(mutex_);
  const auto index = std::size_t(named.target & ((1 << kSlotBits) - 1));
  const int age = named.target >> kSlotBits;
  if (named.target < 0 || age == 0 || index >= slots_.size()) return false;
  const Slot& slot = slots_[index];
  return slot.wrapped || age < slot.age || (slot.taken && age == slot.age);
}

Status HandleTable::wait(armci_hdl_t& named, Timeout timeout) {
  if (named.target == 0) return {};
  if (!was_given(named))
    return {Code::invalid_argument,
            "the handle is none that a call filled in; was it initialised by ARMCI_INIT_HANDLE?"};
  Lent lent = lend(named);
  Status status = lent.failure.ok() ? lent.handle.wait(Completion::local, timeout) : std::move(lent.failure);
  Status then = status.timed_out() ? give_back(named, std::move(lent)) : end(named, lent);
  return status.ok() ? then : status;
}

}  // namespace polder::armci
