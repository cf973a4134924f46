#include "api/armci/transfer/handle_table.hpp"

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
  slot.taken = false;
  slot.wrapped = slot.wrapped || slot.age == kAges - 1;
  slot.age = slot.age % (kAges - 1) + 1;
  free_.push_back(int(&slot - slots_.data()));
}

Handle HandleTable::take(int name, Handle::Kind kind) {
  std::lock_guard lock(mutex_);
  Slot* const slot = find(name);
  if (slot == nullptr) return Handle(kind);
  Handle handle = std::move(slot->handle);
  release(*slot);
  return handle;
}

// Programs may end operations by ARMCI_WaitAll alone.
void HandleTable::sweep() {
  for (Slot& slot : slots_) {
    if (!slot.taken || !slot.handle.idle()) continue;
    slot.handle = Handle();
    release(slot);
  }
}

int HandleTable::keep(Handle handle) {
  std::lock_guard lock(mutex_);
  if (free_.empty() && slots_.size() >= kSweepFrom) sweep();
  if (free_.empty()) {
    // More than can be named: the operation goes on, and WaitAll ends it.
    if (slots_.size() == std::size_t{1} << kSlotBits) return 0;
    free_.push_back(int(slots_.size()));
    slots_.emplace_back();
  }
  const int index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[std::size_t(index)];
  slot.handle = std::move(handle);
  slot.taken = true;
  return slot.age << kSlotBits | index;
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
  Handle handle = take(named.target, kind_of(named));
  named.target = 0;
  Status status = handle.wait(Completion::local, timeout);
  if (status.timed_out()) named.target = keep(std::move(handle));
  return status;
}

}  // namespace polder::armci
