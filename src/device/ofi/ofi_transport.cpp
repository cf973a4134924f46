#include "device/ofi/ofi_transport.hpp"

#include "device/ofi/options.hpp"
#include "util/log.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace polder::device::ofi {
namespace {

using wire::ConnectionGuard;

constexpr int kReceives = 64;  // packets that may come before anybody looks
constexpr int kEventsAtOnce = 16;

// Those that listen on ports of the internet protocols: anybody can speak to them.
bool is_exposed(std::string_view provider) {
  for (const char* name : {"tcp", "sockets", "udp", "net"})
    if (provider.find(name) != std::string_view::npos) return true;
  return false;
}

// Only this one makes its sockets in the threads that call it.
bool is_guarded(std::string_view provider) {
  return provider.substr(0, provider.find(';')) == "tcp";
}

}  // namespace

OfiTransport::OfiTransport(TransportEvents& events, std::uint64_t secret)
    : events_(events), guard_(secret, reinterpret_cast<const void*>(&fi_getinfo)) {}

Result<std::unique_ptr<wire::Transport>> OfiTransport::create(TransportEvents& events, std::uint64_t secret) {
  std::unique_ptr<OfiTransport> transport(new OfiTransport(events, secret));
  const std::string provider = provider_option();
  const bool safe = !is_exposed(provider) || (is_guarded(provider) && transport->guard_.works());
  if (Status status = ConnectionGuard::admit(safe, unguarded_option(), "ofi", kUnguardedName); !status.ok())
    return status;
  auto info = choose_network(provider, devices_option());
  if (!info.ok()) return std::move(info).status();
  const ConnectionGuard::Passage passage(transport->guard_);
  auto network = Network::open(*std::move(info));
  if (!network.ok()) return std::move(network).status();
  transport->network_.emplace(*std::move(network));
  if (Status status = transport->start(); !status.ok()) return status;
  return std::unique_ptr<wire::Transport>(std::move(transport));
}

Status OfiTransport::start() {
  auto name = network_->name();
  if (!name.ok()) return std::move(name).status();
  address_ = *std::move(name);
  buffers_.emplace(network_->registers() ? network_->domain.get() : nullptr);
  for (int i = 0; i < kReceives; ++i) {
    Buffer* buffer = buffers_->take();
    if (buffer == nullptr) return {Code::system, "ofi: buffers cannot be registered (ulimit -l)"};
    receive_into(*buffer);
  }
  return {};
}

OfiTransport::~OfiTransport() {
  if (!network_) return;
  const ConnectionGuard::Passage passage(guard_);
  network_->endpoint.reset();
  if (buffers_) buffers_->forget_registrations();
  network_.reset();
}

// ---- peers ----

Result<wire::Endpoint*> OfiTransport::open(std::span<const std::byte> address, Addressee& owner) {
  auto made = std::make_unique<OfiEndpoint>();
  made->owner = &owner;
  if (address.size() != address_.size() ||
      fi_av_insert(network_->peers.get(), address.data(), 1, &made->peer, 0, nullptr) != 1)
    return Status(Code::peer_failed, "no way to its address", Died::peer);
  endpoints_.push_back(std::move(made));
  return static_cast<wire::Endpoint*>(endpoints_.back().get());
}

// What the provider has taken already is its own until it says so; the number of the peer stays, because another
// endpoint may have the same.
void OfiTransport::close(wire::Endpoint& closed) {
  auto& endpoint = static_cast<OfiEndpoint&>(closed);
  endpoint.owner = nullptr;
  for (; !endpoint.waiting.empty(); endpoint.waiting.pop_front()) buffers_->give_back(endpoint.waiting.front());
  std::erase(held_up_, &endpoint);
  forget_if_unused(endpoint);
}

void OfiTransport::forget_if_unused(const OfiEndpoint& endpoint) {
  if (endpoint.owner != nullptr || endpoint.under_way > 0) return;
  std::erase_if(endpoints_, [&](const auto& one) { return one.get() == &endpoint; });
}

// ---- sending ----

wire::Transport::Sent OfiTransport::send(wire::Endpoint& to, Packet kind, std::span<const std::byte> header,
                                         std::span<const std::byte> data, Addressee&) {
  auto& endpoint = static_cast<OfiEndpoint&>(to);
  Buffer* buffer = buffers_->take();
  if (buffer == nullptr) return Sent::refused;
  const Prefix prefix{.kind = std::uint32_t(kind), .header_bytes = std::uint32_t(header.size())};
  std::byte* at = buffer->content.data();
  std::memcpy(at, &prefix, sizeof prefix);
  at = std::copy(header.begin(), header.end(), at + sizeof prefix);
  if (!data.empty()) std::memcpy(at, data.data(), data.size());
  buffer->bytes = sizeof prefix + header.size() + data.size();
  buffer->endpoint = &endpoint;
  const ConnectionGuard::Passage passage(guard_);
  if (endpoint.waiting.empty() && transmit(endpoint, *buffer)) return Sent::at_once;
  endpoint.waiting.push_back(buffer);
  if (!std::exchange(endpoint.listed, true)) held_up_.push_back(&endpoint);
  return Sent::at_once;
}

// False: the provider has no room, or no connection yet.
bool OfiTransport::transmit(OfiEndpoint& endpoint, Buffer& buffer) {
  const ssize_t result = fi_send(network_->endpoint.get(), buffer.content.data(), buffer.bytes, buffer.registration,
                                 endpoint.peer, &buffer.context);
  if (result == -FI_EAGAIN) return false;
  if (result == 0) {
    ++endpoint.under_way;
    return true;
  }
  buffers_->give_back(&buffer);
  note_broken(endpoint, result);
  return true;
}

bool OfiTransport::transmit_waiting() {
  bool some = false;
  std::erase_if(held_up_, [&](OfiEndpoint* endpoint) {
    while (!endpoint->waiting.empty() && transmit(*endpoint, *endpoint->waiting.front())) {
      endpoint->waiting.pop_front();
      some = true;
    }
    endpoint->listed = !endpoint->waiting.empty();
    return !endpoint->listed;
  });
  return some;
}

void OfiTransport::sent(Buffer& buffer, long error) {
  OfiEndpoint& endpoint = *buffer.endpoint;
  --endpoint.under_way;
  buffers_->give_back(&buffer);
  if (error != 0) note_broken(endpoint, error);
  forget_if_unused(endpoint);
}

void OfiTransport::note_broken(OfiEndpoint& endpoint, long code) {
  if (endpoint.owner != nullptr)
    endpoint.owner->events->on_broken(*endpoint.owner, endpoint, fi_strerror(int(code < 0 ? -code : code)));
}

// ---- what has happened ----

bool OfiTransport::progress(int looks) {
  const ConnectionGuard::Passage passage(guard_);
  bool some = false;
  for (; looks > 0 && !some; --looks) some = look();
  if (!held_up_.empty()) some = transmit_waiting() || some;
  return some;
}

bool OfiTransport::look() {
  for (Buffer* buffer : std::exchange(unposted_, {})) receive_into(*buffer);
  fi_cq_msg_entry events[kEventsAtOnce];
  const ssize_t count = fi_cq_read(network_->events.get(), events, kEventsAtOnce);
  if (count == -FI_EAVAIL) finish_failed();
  for (ssize_t i = 0; i < count; ++i) finish(events[i]);
  return count > 0 || count == -FI_EAVAIL;
}

void OfiTransport::finish(const fi_cq_msg_entry& event) {
  auto& buffer = *static_cast<Buffer*>(event.op_context);
  if (buffer.endpoint != nullptr) return sent(buffer, 0);
  take(std::span(buffer.content).first(std::min(event.len, buffer.content.size())));
  receive_into(buffer);
}

void OfiTransport::finish_failed() {
  fi_cq_err_entry error{};
  if (fi_cq_readerr(network_->events.get(), &error, 0) != 1 || error.op_context == nullptr) return;
  auto& buffer = *static_cast<Buffer*>(error.op_context);
  if (buffer.endpoint != nullptr) return sent(buffer, error.err);
  if (error.err != FI_ECANCELED) receive_into(buffer);  // of a sender that broke off, or that sent too much
}

void OfiTransport::take(std::span<const std::byte> packet) {
  Prefix prefix;
  if (packet.size() < sizeof prefix) return;
  std::memcpy(&prefix, packet.data(), sizeof prefix);
  packet = packet.subspan(sizeof prefix);
  if (prefix.header_bytes > packet.size()) return;
  const auto header = packet.first(prefix.header_bytes), data = packet.subspan(prefix.header_bytes);
  if (prefix.kind == std::uint32_t(Packet::frame)) events_.on_frame(header, data);
  if (prefix.kind == std::uint32_t(Packet::greeting)) events_.on_greeting(data, nullptr);
}

void OfiTransport::receive_into(Buffer& buffer) {
  const ssize_t result = fi_recv(network_->endpoint.get(), buffer.content.data(), buffer.content.size(),
                                 buffer.registration, FI_ADDR_UNSPEC, &buffer.context);
  if (result != 0) unposted_.push_back(&buffer);
}

bool OfiTransport::arm() {
  if (!unposted_.empty()) return false;
  fid* watched[] = {&network_->events->fid};
  return fi_trywait(network_->fabric.get(), watched, 1) == FI_SUCCESS;
}

}  // namespace polder::device::ofi
