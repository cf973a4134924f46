#include "device/mixed/route.hpp"
#include "util/assert.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace polder::device::mixed {
namespace {

// Two byte strings, one behind the other, with their lengths.
struct Lengths {
  std::uint16_t near = 0, far = 0;
};

std::vector<std::byte> join(std::span<const std::byte> near, std::span<const std::byte> far) {
  const Lengths lengths{std::uint16_t(near.size()), std::uint16_t(far.size())};
  std::vector<std::byte> joined(sizeof lengths + near.size() + far.size());
  std::memcpy(joined.data(), &lengths, sizeof lengths);
  const auto behind = std::copy(near.begin(), near.end(), joined.begin() + sizeof lengths);
  std::copy(far.begin(), far.end(), behind);
  return joined;
}

// False: these are not two joined strings.
bool split(std::span<const std::byte> joined, std::span<const std::byte>& near, std::span<const std::byte>& far) {
  Lengths lengths;
  if (joined.size() < sizeof lengths) return false;
  std::memcpy(&lengths, joined.data(), sizeof lengths);
  if (joined.size() != sizeof lengths + lengths.near + lengths.far) return false;
  near = joined.subspan(sizeof lengths, lengths.near);
  far = joined.subspan(sizeof lengths + lengths.near);
  return true;
}

std::span<const std::byte> bytes_of(const Key& key) {
  return {key.bytes.data(), key.size};
}

// REQUIRES: at most Key::kCapacity bytes.
Key key_of(std::span<const std::byte> bytes) {
  POLDER_ASSERT(bytes.size() <= Key::kCapacity);
  Key key;
  key.size = std::uint32_t(bytes.size());
  std::copy(bytes.begin(), bytes.end(), key.bytes.begin());
  return key;
}

Status not_ours(const char* what, Rank rank) {
  return {Code::invalid_argument, std::string(what) + " of rank " + std::to_string(rank) +
                                      " does not name two devices: do all ranks use the same POLDER_DEVICE?"};
}

}  // namespace

Route::Route(Parts parts)
    : near_(std::move(parts.near)),
      far_(std::move(parts.far)),
      is_near_(std::move(parts.is_near)),
      clock_(parts.clock),
      name_(std::string(near_->capabilities().name) + "+" + far_->capabilities().name),
      ways_(parts.ranks) {
  const Capabilities &near = near_->capabilities(), &far = far_->capabilities();
  capabilities_.name = name_.c_str();
  capabilities_.needs_progress = near.needs_progress || far.needs_progress;
  capabilities_.max_message = std::min(near.max_message, far.max_message);
  capabilities_.in_order = near.in_order && far.in_order;
  capabilities_.copied_at_once = std::min(near.copied_at_once, far.copied_at_once);
  capabilities_.windows = far.windows;  // near peers load and store
}

Route::~Route() {
  stop_serving();
}

void Route::stop_serving() {
  if (stopping_.exchange(true)) return;
  // A handler that calls exit() does not return, so the threads that wait for its end would never be joined.
  if (in_handler()) {
    is_given_back_ = true;
    delivering_.unlock();
  }
  std::call_once(far_started_, [] {});  // the helper, which may still wait, starts none any more
  if (far_thread_.joinable()) {
    far_->wake();
    far_thread_.join();
  }
  near_->stop_serving();
  far_->stop_serving();
}

void Route::retire() {
  near_->retire();
  far_->retire();
}

Route::Way Route::way_to(Rank peer) const {
  if (peer >= ways_.size()) return Way::far;  // which refuses it
  const Way known = ways_[peer].load(std::memory_order_relaxed);
  if (known != Way::unknown) [[likely]]
    return known;
  const Way way = is_near_(peer) ? Way::near : Way::far;
  ways_[peer].store(way, std::memory_order_relaxed);
  return way;
}

std::vector<std::byte> Route::address() const {
  return join(near_->address(), far_->address());
}

Status Route::connect(Rank peer, std::span<const std::byte> address) {
  std::span<const std::byte> near, far;
  if (!split(address, near, far)) return not_ours("the address", peer);
  return way_to(peer) == Way::near ? near_->connect(peer, near) : far_->connect(peer, far);
}

void Route::disconnect(Rank peer) {
  device_for(peer).disconnect(peer);
}

void Route::abandon(Rank peer) {
  device_for(peer).abandon(peer);
}

// Memory of the user that the far device cannot reach is reached by messages.
Result<Exposure> Route::expose(void* memory, std::size_t size) {
  auto near = near_->expose(memory, size);
  if (!near.ok()) return near;
  if (memory == nullptr) far_->own(near->data, size);
  auto far = far_->expose(near->data, size);
  const bool by_messages = memory != nullptr && far.status().code() == Code::unsupported;
  if (far.ok() || by_messages) return remember({*near, far.ok() ? *far : Exposure{}});
  far_->disown(near->data);
  near_->conceal(*near);
  return far;
}

Result<Exposure> Route::expose_to_neighbours(std::size_t size) {
  auto near = near_->expose_to_neighbours(size);
  if (!near.ok()) return near;
  far_->own(near->data, size);
  return remember({*near, {}});
}

Result<Exposure> Route::remember(const Both& both) {
  const std::vector<std::byte> key = join(bytes_of(both.near.key), bytes_of(both.far.key));
  if (key.size() > Key::kCapacity) {
    if (both.far.data != nullptr) far_->conceal(both.far);
    near_->conceal(both.near);
    return Status(Code::limit, "the keys of " + name_ + " together have " + std::to_string(key.size()) +
                                   " bytes, more than " + std::to_string(Key::kCapacity));
  }
  Exposure exposure{.data = both.near.data, .size = both.near.size, .key = key_of(key)};
  std::lock_guard lock(memory_mutex_);
  exposure.handle = next_handle_++;
  exposed_.emplace(exposure.handle, both);
  return exposure;
}

Exposure Route::far_of(const Exposure& exposure) {
  std::lock_guard lock(memory_mutex_);
  const auto found = exposed_.find(exposure.handle);
  return found == exposed_.end() ? Exposure{} : found->second.far;
}

bool Route::open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory) {
  return far_->open_window(far_of(exposure), window, memory);
}

void Route::close_window(const Exposure& exposure, std::uint64_t window) {
  far_->close_window(far_of(exposure), window);
}

void Route::own(const void* memory, std::size_t size) {
  near_->own(memory, size);
  far_->own(memory, size);
}

void Route::disown(const void* memory) {
  near_->disown(memory);
  far_->disown(memory);
}

void Route::conceal(const Exposure& exposure) {
  Both both;
  {
    std::lock_guard lock(memory_mutex_);
    const auto found = exposed_.find(exposure.handle);
    if (found == exposed_.end()) return;
    both = found->second;
    exposed_.erase(found);
  }
  if (both.far.data != nullptr) far_->conceal(both.far);
  far_->disown(both.near.data);
  near_->conceal(both.near);
}

Result<Region> Route::import(Rank owner, const Key& key, const Region* replaces) {
  std::span<const std::byte> near, far;
  if (!split(bytes_of(key), near, far)) return not_ours("the key of memory", owner);
  if (way_to(owner) == Way::near) return near_->import(owner, key_of(near), replaces);
  if (far.empty()) return Region{};  // reached by messages
  return far_->import(owner, key_of(far), replaces);
}

void Route::on_failure(std::function<void(Rank, const Status&)> listener) {
  near_->on_failure(listener);
  far_->on_failure(std::move(listener));
}

void Route::on_leave(const std::function<void(Rank)>& listener) {
  near_->on_leave(listener);
  far_->on_leave(listener);
}

}  // namespace polder::device::mixed
