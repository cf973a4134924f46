// The part of the Transport that reaches into memory of peers.
#include "device/ucx/configuration.hpp"
#include "device/ucx/lanes.hpp"
#include "device/ucx/registration.hpp"
#include "device/ucx/ucx_transport.hpp"

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

const char* problem_of(ucs_status_t status) {
  return status == UCS_OK ? nullptr : ucs_status_string(status);
}

}  // namespace

ucp_ep_h UcxTransport::handle_of(const wire::Endpoint& endpoint) {
  return static_cast<const UcxEndpoint&>(endpoint).handle_;
}

std::string UcxTransport::describe(const wire::Endpoint& endpoint) const {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* out = ::open_memstream(&text, &bytes);
  if (out == nullptr) return {};
  ucp_ep_print_info(handle_of(endpoint), out);
  std::fclose(out);
  std::string info(text, bytes);
  std::free(text);
  return info;
}

bool UcxTransport::reaches_memory(const wire::Endpoint& endpoint) const {
  return ucx::reaches_memory(describe(endpoint));
}

bool UcxTransport::tells_closing(const wire::Endpoint& endpoint) const {
  return only_tcp(describe(endpoint));
}

Result<std::unique_ptr<wire::Registration>> UcxTransport::register_memory(void* memory, std::size_t size) const {
  return UcxRegistration::make(context_, memory, size);
}

Result<std::unique_ptr<wire::RemoteKey>> UcxTransport::unpack(const wire::Endpoint& endpoint,
                                                              std::span<const std::byte> key) {
  ucp_rkey_h handle = nullptr;
  if (const ucs_status_t status = ucp_ep_rkey_unpack(handle_of(endpoint), key.data(), &handle); status != UCS_OK)
    return ucx_error("reading a key of memory", status);
  return std::unique_ptr<wire::RemoteKey>(std::make_unique<UcxRemoteKey>(handle));
}

wire::Transport::Sent UcxTransport::put(wire::Endpoint& endpoint, std::span<const std::byte> data,
                                        std::uint64_t address, const wire::RemoteKey& key, Addressee& access) {
  const ucp_request_param_t params = told_by(finish_access, access);
  const wire::ConnectionGuard::Passage passage(guard_);
  return outcome(ucp_put_nbx(handle_of(endpoint), data.data(), data.size(), address,
                             static_cast<const UcxRemoteKey&>(key).get(), &params));
}

wire::Transport::Sent UcxTransport::get(wire::Endpoint& endpoint, std::span<std::byte> data, std::uint64_t address,
                                        const wire::RemoteKey& key, Addressee& access) {
  const ucp_request_param_t params = told_by(finish_access, access);
  const wire::ConnectionGuard::Passage passage(guard_);
  return outcome(ucp_get_nbx(handle_of(endpoint), data.data(), data.size(), address,
                             static_cast<const UcxRemoteKey&>(key).get(), &params));
}

wire::Transport::Sent UcxTransport::flush(wire::Endpoint& endpoint, Addressee& flush) {
  const ucp_request_param_t params = told_by(finish_flush, flush);
  const wire::ConnectionGuard::Passage passage(guard_);
  return outcome(ucp_ep_flush_nbx(handle_of(endpoint), &params));
}

bool UcxTransport::fence() {
  const wire::ConnectionGuard::Passage passage(guard_);
  return ucp_worker_fence(worker_) == UCS_OK;
}

UcxTransport::Sent UcxTransport::outcome(ucs_status_ptr_t request) {
  if (request == nullptr) return Sent::at_once;
  return UCS_PTR_IS_ERR(request) ? Sent::refused : Sent::later;
}

void UcxTransport::finish_access(void* request, ucs_status_t status, void* access) {
  auto& addressee = *static_cast<Addressee*>(access);
  addressee.events->on_accessed(addressee, problem_of(status));
  ucp_request_free(request);
}

void UcxTransport::finish_flush(void* request, ucs_status_t status, void* flush) {
  auto& addressee = *static_cast<Addressee*>(flush);
  addressee.events->on_flushed(addressee, problem_of(status));
  ucp_request_free(request);
}

}  // namespace polder::device::ucx
