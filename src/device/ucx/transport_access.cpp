// The part of the Transport that reaches into memory of peers.
#include "device/ucx/configuration.hpp"
#include "device/ucx/lanes.hpp"
#include "device/ucx/transport.hpp"

#include <cstdio>
#include <cstdlib>

namespace polder::device::ucx {
namespace {

ucp_request_param_t told_by(ucp_send_nbx_callback_t callback, Addressee& addressee) {
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  params.cb.send = callback;
  params.user_data = &addressee;
  return params;
}

}  // namespace

std::string Transport::describe(const Endpoint& endpoint) const {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* out = ::open_memstream(&text, &bytes);
  if (out == nullptr) return {};
  ucp_ep_print_info(endpoint.handle_, out);
  std::fclose(out);
  std::string info(text, bytes);
  std::free(text);
  return info;
}

bool Transport::reaches_memory(const Endpoint& endpoint) const {
  return ucx::reaches_memory(describe(endpoint));
}

bool Transport::tells_closing(const Endpoint& endpoint) const {
  return only_tcp(describe(endpoint));
}

Result<Registration> Transport::register_memory(void* memory, std::size_t size) const {
  return Registration::make(context_, memory, size);
}

Result<RemoteKey> Transport::unpack(const Endpoint& endpoint, std::span<const std::byte> key) {
  ucp_rkey_h handle = nullptr;
  if (const ucs_status_t status = ucp_ep_rkey_unpack(endpoint.handle_, key.data(), &handle); status != UCS_OK)
    return ucx_error("reading a key of memory", status);
  return RemoteKey(handle);
}

Transport::Sent Transport::put(Endpoint& endpoint, std::span<const std::byte> data, std::uint64_t address,
                               const RemoteKey& key, Addressee& access) {
  const ucp_request_param_t params = told_by(finish_access, access);
  const Gate::Passage passage(gate_);
  return outcome(ucp_put_nbx(endpoint.handle_, data.data(), data.size(), address, key.get(), &params));
}

Transport::Sent Transport::get(Endpoint& endpoint, std::span<std::byte> data, std::uint64_t address,
                               const RemoteKey& key, Addressee& access) {
  const ucp_request_param_t params = told_by(finish_access, access);
  const Gate::Passage passage(gate_);
  return outcome(ucp_get_nbx(endpoint.handle_, data.data(), data.size(), address, key.get(), &params));
}

Transport::Sent Transport::flush(Endpoint& endpoint, Addressee& flush) {
  const ucp_request_param_t params = told_by(finish_flush, flush);
  const Gate::Passage passage(gate_);
  return outcome(ucp_ep_flush_nbx(endpoint.handle_, &params));
}

bool Transport::fence() {
  const Gate::Passage passage(gate_);
  return ucp_worker_fence(worker_) == UCS_OK;
}

Transport::Sent Transport::outcome(ucs_status_ptr_t request) {
  if (request == nullptr) return Sent::at_once;
  return UCS_PTR_IS_ERR(request) ? Sent::refused : Sent::later;
}

void Transport::finish_access(void* request, ucs_status_t status, void* access) {
  auto& addressee = *static_cast<Addressee*>(access);
  addressee.events->on_accessed(addressee, status);
  ucp_request_free(request);
}

void Transport::finish_flush(void* request, ucs_status_t status, void* flush) {
  auto& addressee = *static_cast<Addressee*>(flush);
  addressee.events->on_flushed(addressee, status);
  ucp_request_free(request);
}

}  // namespace polder::device::ucx
