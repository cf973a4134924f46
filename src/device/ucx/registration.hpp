// Memory that UCX has told the network about, and the keys by which peers reach it.
#pragma once

#include <polder/status.hpp>

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace polder::device::ucx {

// Memory of this rank that the network reads and writes by itself, until the object ends. Ends before its context.
class Registration {
 public:
  Registration() = default;
  Registration(Registration&& other) noexcept { swap(other); }
  Registration& operator=(Registration&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Registration();

  // Any thread, at the same time as anything else of a context that was made for several threads. system: UCX cannot.
  static Result<Registration> make(ucp_context_h context, void* memory, std::size_t size);

  explicit operator bool() const { return memory_ != nullptr; }
  // What a peer needs: for RemoteKey.
  std::span<const std::byte> key() const { return key_; }

 private:
  void swap(Registration& other) {
    std::swap(context_, other.context_);
    std::swap(memory_, other.memory_);
    std::swap(key_, other.key_);
  }

  ucp_context_h context_ = nullptr;
  ucp_mem_h memory_ = nullptr;
  std::vector<std::byte> key_;
};

// The key to memory of a peer, as one endpoint uses it. Must outlive the accesses that use it, and end before the
// worker.
class RemoteKey {
 public:
  RemoteKey() = default;
  explicit RemoteKey(ucp_rkey_h key) : key_(key) {}
  RemoteKey(RemoteKey&& other) noexcept : key_(std::exchange(other.key_, nullptr)) {}
  RemoteKey& operator=(RemoteKey&& other) noexcept {
    std::swap(key_, other.key_);
    return *this;
  }
  ~RemoteKey() {
    if (key_ != nullptr) ucp_rkey_destroy(key_);
  }

  ucp_rkey_h get() const { return key_; }

 private:
  ucp_rkey_h key_ = nullptr;
};

}  // namespace polder::device::ucx
