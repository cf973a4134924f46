// The memory that this rank offers, by the numbers that peers know.
//
// A number is never used twice, so whoever holds an old one gets an error and never other memory.
#pragma once

#include "device/windows.hpp"
#include "device/wire/network/transport.hpp"
#include "util/shared_memory.hpp"

#include <polder/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace polder::device::wire {

class Link;

struct Exposed {
  std::byte* data = nullptr;
  std::uint64_t size = 0;
  util::Mapping mapping;                       // what the device allocated itself
  std::unique_ptr<Registration> registration;  // where peers may reach it without this rank
  std::vector<Link*> holders;                  // those who have its key
  Windows windows;
  std::uint32_t readers = 0;  // parts that the transport is sending from here
  bool concealed = false;     // not offered: never was, or no longer, but still being read

  bool in_use() const { return readers > 0 || !holders.empty(); }
  bool contains(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
  // Where so many bytes that are put there go, if to one piece of memory; else null.
  std::byte* place(std::uint64_t offset, std::uint64_t bytes) const {
    if (is_in_window(offset)) return windows.place(offset, bytes);
    return contains(offset, bytes) ? data + offset : nullptr;
  }
  // `visit(place, bytes)` for each piece of memory that they go to, in order. False: nowhere.
  template <class Visit>
  bool each_run(std::uint64_t offset, std::uint64_t bytes, Visit&& visit) const {
    if (is_in_window(offset)) return windows.each_run(offset, bytes, visit);
    if (contains(offset, bytes)) visit(data + offset, bytes);
    return contains(offset, bytes);
  }
};

// Guarded by the device's lock. An element stays where it is until it is removed.
class ExposedMemory {
 public:
  std::uint64_t add(Exposed exposed) {
    const std::uint64_t handle = next_++;
    table_.emplace(handle, std::move(exposed));
    return handle;
  }

  // Null unless it is offered now.
  Exposed* find(std::uint64_t handle) {
    Exposed* found = find_any(handle);
    return found == nullptr || found->concealed ? nullptr : found;
  }
  Exposed* find_any(std::uint64_t handle) {
    if (handle == last_handle_) return last_;
    const auto found = table_.find(handle);
    if (found == table_.end()) return nullptr;
    last_handle_ = handle;
    return last_ = &found->second;
  }
  void remove(std::uint64_t handle) {
    forget_last();
    table_.erase(handle);
  }
  // What the device allocated itself goes with its last user.
  void remove_unused(std::uint64_t handle) {
    const Exposed* exposed = find_any(handle);
    if (exposed != nullptr && exposed->concealed && exposed->mapping && !exposed->in_use()) remove(handle);
  }
  // That peer uses nothing any more.
  void forget(const Link* holder) {
    std::vector<std::uint64_t> released;
    for (auto& [handle, exposed] : table_)
      if (std::erase(exposed.holders, holder) > 0) released.push_back(handle);
    for (const std::uint64_t handle : released) remove_unused(handle);
  }
  void clear() {
    forget_last();
    table_.clear();
  }

 private:
  void forget_last() {
    last_handle_ = 0;
    last_ = nullptr;  // a peer may name memory by 0
  }

  std::uint64_t next_ = 1;
  std::uint64_t last_handle_ = 0;  // that was found; it mostly is the next one, too. 0: none
  Exposed* last_ = nullptr;
  std::unordered_map<std::uint64_t, Exposed> table_;
};

}  // namespace polder::device::wire
