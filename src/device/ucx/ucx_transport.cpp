#include "device/ucx/ucx_transport.hpp"

#include "device/ucx/configuration.hpp"
#include "device/ucx/options.hpp"
#include "util/log.hpp"

#include <ucs/sys/sock.h>

#include <algorithm>
#include <functional>

namespace polder::device::ucx {

using wire::ConnectionGuard;

UcxTransport::UcxTransport(TransportEvents& events, std::uint64_t secret, bool rma)
    : events_(events), rma_(rma), guard_(secret, reinterpret_cast<const void*>(&ucs_socket_accept)) {}

Result<std::unique_ptr<wire::Transport>> UcxTransport::create(TransportEvents& events, std::uint64_t secret, bool rma) {
  std::unique_ptr<UcxTransport> transport(new UcxTransport(events, secret, rma));
  Status status = ConnectionGuard::admit(transport->guard_.works(), unguarded_option(), "ucx", kUnguardedName);
  if (!status.ok()) return status;
  if (status = transport->open_context(); !status.ok()) return status;
  if (status = transport->open_worker(); !status.ok()) return status;
  return std::unique_ptr<wire::Transport>(std::move(transport));
}

UcxTransport::~UcxTransport() {
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

Status UcxTransport::open_context() {
  quieten();
  auto config = configuration();
  if (!config.ok()) return std::move(config).status();
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP | (rma_ ? UCP_FEATURE_RMA : 0);
  params.mt_workers_shared = rma_;  // memory is registered without the device's lock
  params.name = "polder";
  const ucs_status_t status = ucp_init(&params, *config, &context_);
  ucp_config_release(*config);
  if (status != UCS_OK) {
    context_ = nullptr;
    return ucx_error("opening a network (see POLDER_UCX_DEVICES, UCX_TLS)", status);
  }
  ucp_context_attr_t about{};
  about.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
  if (ucp_context_query(context_, &about) == UCS_OK)
    knows_devices_ = (about.memory_types & ~UCS_BIT(UCS_MEMORY_TYPE_HOST)) != 0;
  return {};
}

Status UcxTransport::open_worker() {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_FLAGS;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  params.flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK;
  const ConnectionGuard::Passage passage(guard_);
  if (const ucs_status_t status = ucp_worker_create(context_, &params, &worker_); status != UCS_OK) {
    worker_ = nullptr;
    if (ConnectionGuard::found_no_port())
      return {Code::system, "ucx: no port is free in UCX_TCP_PORT_RANGE: each rank needs one for each network device"};
    return ucx_error("making a worker (see POLDER_UCX_DEVICES, UCX_TLS)", status);
  }
  if (Status status = set_handler(unsigned(Packet::greeting), take_greeting); !status.ok()) return status;
  if (Status status = set_handler(unsigned(Packet::frame), take_frame); !status.ok()) return status;
  if (const ucs_status_t status = ucp_worker_get_efd(worker_, &event_fd_); status != UCS_OK)
    return ucx_error("asking for the descriptor to sleep on", status);
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  if (const ucs_status_t status = ucp_worker_get_address(worker_, &address, &bytes); status != UCS_OK)
    return ucx_error("asking for the address of the worker", status);
  const auto* first = reinterpret_cast<const std::byte*>(address);
  address_.assign(first, first + bytes);
  ucp_worker_release_address(worker_, address);
  return {};
}

Status UcxTransport::set_handler(unsigned id, ucp_am_recv_callback_t handler) {
  ucp_am_handler_param_t params{};
  params.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  params.id = id;
  params.cb = handler;
  params.arg = this;
  const ucs_status_t status = ucp_worker_set_am_recv_handler(worker_, &params);
  return status == UCS_OK ? Status() : ucx_error("setting a handler of active messages", status);
}

Result<wire::Endpoint*> UcxTransport::open(std::span<const std::byte> address, Addressee& owner) {
  auto endpoint = std::make_unique<UcxEndpoint>();
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = [](void* failed, ucp_ep_h, ucs_status_t why) {
    auto& known = *static_cast<UcxEndpoint*>(failed);
    known.transport_->decide(known, false);
    if (known.owner_ != nullptr) known.owner_->events->on_broken(*known.owner_, known, ucs_status_string(why));
  };
  params.err_handler.arg = endpoint.get();
  endpoint->transport_ = this;
  endpoint->owner_ = &owner;
  const ConnectionGuard::Passage passage(guard_);
  if (const ucs_status_t status = ucp_ep_create(worker_, &params, &endpoint->handle_); status != UCS_OK)
    return Status(Code::peer_failed, std::string("no way to its address: ") + ucs_status_string(status), Died::peer);
  endpoints_.push_back(std::move(endpoint));
  UcxEndpoint& opened = *endpoints_.back();
  // Ends when each lane has been agreed upon.
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = finish_making;
  how.user_data = &opened;
  const ucs_status_ptr_t request = ucp_ep_flush_nbx(opened.handle_, &how);
  opened.asked_ = UCS_PTR_IS_PTR(request);
  if (!opened.asked_) decide(opened, request == nullptr);
  return static_cast<wire::Endpoint*>(&opened);
}

void UcxTransport::finish_making(void* request, ucs_status_t status, void* endpoint) {
  auto& known = *static_cast<UcxEndpoint*>(endpoint);
  ucp_request_free(request);
  known.asked_ = false;
  if (known.closed_) return known.transport_->forget(known);
  if (known.failed_) return;
  known.transport_->decide(known, status == UCS_OK);
  if (known.made_ && known.owner_ != nullptr) known.owner_->events->on_made(*known.owner_, known);
}

void UcxTransport::decide(UcxEndpoint& endpoint, bool made) {
  (made ? endpoint.made_ : endpoint.failed_) = true;
  any_ripe_ = any_ripe_ || endpoint.owner_ == nullptr;
}

void UcxTransport::close(wire::Endpoint& closed) {
  auto& endpoint = static_cast<UcxEndpoint&>(closed);
  endpoint.owner_ = nullptr;
  if (endpoint.made_ || endpoint.failed_)
    close_now(endpoint);
  else
    half_made_.push_back(&endpoint);
}

void UcxTransport::close_now(UcxEndpoint& endpoint) {
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  params.flags = UCP_EP_CLOSE_FLAG_FORCE;
  params.cb.send = finish_close;
  params.user_data = &endpoint;
  if (UCS_PTR_IS_PTR(ucp_ep_close_nbx(endpoint.handle_, &params)))
    ++closing_;
  else
    note_closed(endpoint);
}

void UcxTransport::close_ripe() {
  any_ripe_ = false;
  const auto ripe = [](const UcxEndpoint* endpoint) { return endpoint->made_ || endpoint->failed_; };
  const auto first = std::stable_partition(half_made_.begin(), half_made_.end(), std::not_fn(ripe));
  const std::vector<UcxEndpoint*> now(first, half_made_.end());
  half_made_.erase(first, half_made_.end());
  for (UcxEndpoint* endpoint : now) close_now(*endpoint);
}

void UcxTransport::finish_close(void* request, ucs_status_t, void* endpoint) {
  auto& known = *static_cast<UcxEndpoint*>(endpoint);
  ucp_request_free(request);
  --known.transport_->closing_;
  known.transport_->note_closed(known);
}

void UcxTransport::note_closed(UcxEndpoint& endpoint) {
  endpoint.closed_ = true;
  if (!endpoint.asked_) forget(endpoint);
}

void UcxTransport::forget(const UcxEndpoint& endpoint) {
  std::erase_if(endpoints_, [&](const auto& one) { return one.get() == &endpoint; });
}

wire::Transport::Sent UcxTransport::send(wire::Endpoint& endpoint, Packet kind, std::span<const std::byte> header,
                                         std::span<const std::byte> data, Addressee& buffer) {
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  // Never by rendezvous: there the sender would write to an address of the receiver, whatever lies there by then.
  params.flags = UCP_AM_SEND_FLAG_EAGER;
  params.cb.send = finish_send;
  params.user_data = &buffer;
  const ConnectionGuard::Passage passage(guard_);
  return outcome(ucp_am_send_nbx(handle_of(endpoint), unsigned(kind), header.empty() ? nullptr : header.data(),
                                 header.size(), data.data(), data.size(), &params));
}

bool UcxTransport::progress(int looks) {
  const ConnectionGuard::Passage passage(guard_);
  bool some = false;
  for (; looks > 0 && !some; --looks) some = ucp_worker_progress(worker_) != 0;
  if (any_ripe_) close_ripe();
  return some;
}

void UcxTransport::abandon_if_needed(bool unheard) {
  if (!unheard && half_made_.empty()) return;
  worker_ = nullptr;
  context_ = nullptr;
  guard_.keep();
}

bool UcxTransport::is_host_memory(const void* memory, std::size_t size) const {
  if (!knows_devices_) return true;
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = const_cast<void*>(memory);
  params.length = size;
  ucp_mem_h handle = nullptr;
  if (ucp_mem_map(context_, &params, &handle) != UCS_OK) return true;  // it cannot tell
  ucp_mem_attr_t about{};
  about.field_mask = UCP_MEM_ATTR_FIELD_MEM_TYPE;
  const bool known = ucp_mem_query(handle, &about) == UCS_OK;
  ucp_mem_unmap(context_, handle);
  return !known || about.mem_type == UCS_MEMORY_TYPE_HOST;
}

// ---- what UCX calls ----

ucs_status_t UcxTransport::take_greeting(void* self, const void*, std::size_t, void* data, std::size_t bytes,
                                         const ucp_am_recv_param_t* how) {
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0)
    static_cast<UcxTransport*>(self)->events_.on_greeting({static_cast<const std::byte*>(data), bytes}, nullptr);
  return UCS_OK;
}

ucs_status_t UcxTransport::take_frame(void* self, const void* header, std::size_t header_bytes, void* data,
                                      std::size_t bytes, const ucp_am_recv_param_t* how) {
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0)
    static_cast<UcxTransport*>(self)->events_.on_frame({static_cast<const std::byte*>(header), header_bytes},
                                                       {static_cast<const std::byte*>(data), bytes});
  return UCS_OK;
}

void UcxTransport::finish_send(void* request, ucs_status_t, void* buffer) {
  auto& addressee = *static_cast<Addressee*>(buffer);
  addressee.events->on_sent(addressee);
  ucp_request_free(request);
}

}  // namespace polder::device::ucx
