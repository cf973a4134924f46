// Memory that UCX has told the network about, and the keys by which peers reach it.
#pragma once

#include "device/wire/network/transport.hpp"

#include <polder/status.hpp>

#include <ucp/api/ucp.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace polder::device::ucx {

// Ends before its context.
class UcxRegistration final : public wire::Registration {
 public:
  // Any thread, at the same time as anything else of a context that was made for several threads. system: UCX cannot.
  static Result<std::unique_ptr<wire::Registration>> make(ucp_context_h context, void* memory, std::size_t size);
  ~UcxRegistration() override;
  UcxRegistration(const UcxRegistration&) = delete;
  UcxRegistration& operator=(const UcxRegistration&) = delete;

  std::span<const std::byte> key() const override { return key_; }

 private:
  UcxRegistration(ucp_context_h context, ucp_mem_h memory) : context_(context), memory_(memory) {}

  const ucp_context_h context_;
  const ucp_mem_h memory_;
  std::vector<std::byte> key_;
};

class UcxRemoteKey final : public wire::RemoteKey {
 public:
  explicit UcxRemoteKey(ucp_rkey_h key) : key_(key) {}
  ~UcxRemoteKey() override { ucp_rkey_destroy(key_); }
  UcxRemoteKey(const UcxRemoteKey&) = delete;
  UcxRemoteKey& operator=(const UcxRemoteKey&) = delete;

  ucp_rkey_h get() const { return key_; }

 private:
  const ucp_rkey_h key_;
};

}  // namespace polder::device::ucx
