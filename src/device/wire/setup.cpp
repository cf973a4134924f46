#include "device/wire/wire_device.hpp"

#include "device/wire/siphash.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace polder::device::wire {
namespace {

// How long a device that ends tries to get rid of what it has not sent, and waits for peers to hear that it goes: time
// for a packet that was lost once on a slow way. Whoever has not heard of it takes the end for a failure.
constexpr std::int64_t kFarewell_ns = 1'500'000'000;

// What stands before the address of the worker, because a transport may believe everything it is given.
struct AddressHead {
  std::uint64_t magic;
  std::uint64_t checksum;
  Rank rank;
  std::uint32_t bytes;
};
constexpr std::uint64_t kAddressMagic = 0x706f6c6465720a01;
constexpr std::size_t kAddressLimit = 1024;

// Of another network's device it would be another one.
std::uint64_t checksum(std::string_view device, Rank rank, std::span<const std::byte> bytes) {
  return siphash({siphash({kAddressMagic, rank}, std::as_bytes(std::span(device))), rank}, bytes);
}

}  // namespace

Result<std::unique_ptr<Device>> WireDevice::create(const Setup& setup, const Settings& settings,
                                                   const MakeTransport& make_transport) {
  std::unique_ptr<WireDevice> device(new WireDevice(setup, settings));
  if (const Status status = device->state_.sleeper.open(); !status.ok())
    return Status(status.code(), device->state_.name + ": " + std::string(status.message()));
  auto transport = make_transport(device->events());
  if (!transport.ok()) return std::move(transport).status();
  device->state_.transport = *std::move(transport);
  if (device->address().size() > kAddressLimit)
    return Status(Code::limit, device->state_.name + ": the address of rank " + std::to_string(setup.rank) + " has " +
                                   std::to_string(device->address().size()) +
                                   " bytes because this host has many networks; name those to use in " +
                                   settings.devices_option + " (at most " + std::to_string(kAddressLimit) + " bytes)");
  return std::unique_ptr<Device>(std::move(device));
}

WireDevice::WireDevice(const Setup& setup, const Settings& settings)
    : state_(setup, settings, *this),
      schedule_(state_, settings.part_bytes),
      greeter_(state_,
               {.sender = sender_, .acknowledger = acknowledger_, .undertaker = undertaker_, .strangers = strangers_},
               setup.secret, settings.rma) {
  capabilities_.name = settings.name;
  capabilities_.needs_progress = true;
  capabilities_.max_message = kMaxMessage;
  capabilities_.in_order = true;  // as frames are
  capabilities_.copied_at_once = kPackLimit;
  capabilities_.windows = !state_.rma;  // or large puts would go past them
}

WireDevice::~WireDevice() {
  if (state_.transport == nullptr) return;
  enter();
  say_goodbye();
  // Where a peer has not confirmed the end, the connection to it may not be complete either.
  const bool unheard =
      state_.sending > 0 || std::any_of(state_.links.known().begin(), state_.links.known().end(), [](const Link* link) {
        return link->endpoint() != nullptr && !link->window.empty();
      });
  close_endpoints();
  state_.exposed.clear();  // while the context lives
  leave();
  copy_outside();
  state_.transport->abandon_if_needed(unheard);
  state_.transport.reset();
}

void WireDevice::retire() {
  enter();
  say_goodbye();
  close_endpoints();
  retired_ = true;
  leave();
  copy_outside();
}

std::vector<std::byte> WireDevice::address() const {
  const auto& worker = state_.transport->address();
  const AddressHead head{kAddressMagic, checksum(state_.name, state_.rank, worker), state_.rank,
                         std::uint32_t(worker.size())};
  std::vector<std::byte> bytes(sizeof head + worker.size());
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, worker.data(), worker.size());
  return bytes;
}

Status WireDevice::connect(Rank peer, std::span<const std::byte> address) {
  if (peer >= state_.size)
    return {Code::invalid_rank,
            state_.name + ": connect to rank " + std::to_string(peer) + " of " + std::to_string(state_.size)};
  AddressHead head{};
  if (address.size() > sizeof head) std::memcpy(&head, address.data(), sizeof head);
  const auto worker = address.subspan(std::min(address.size(), sizeof head));
  if (head.magic != kAddressMagic || head.rank != peer || head.bytes != worker.size() ||
      head.checksum != checksum(state_.name, peer, worker))
    return {Code::invalid_argument, state_.name + ": this is not the address of rank " + std::to_string(peer)};
  enter();
  Status status = retired_ ? Status(Code::closed) : greeter_.reach(state_.links.of(peer), worker);
  leave();
  return status;
}

void WireDevice::disconnect(Rank peer) {
  if (Link* link = state_.links.find(peer)) link->want(false);
}

void WireDevice::abandon(Rank peer) {
  enter();
  if (Link* link = state_.links.find(peer); link != nullptr && link->endpoint() != nullptr)
    state_.give_up(
        *link, {Code::peer_failed, "rank " + std::to_string(peer) + " does not take what was sent to it", Died::peer},
        false);
  watch_.mend();
  leave();
}

// Peers that hear it know that this rank was not lost, and that it carries nothing out any more. Closing before they
// have heard it would look like a failure.
void WireDevice::say_goodbye() {
  const auto unsent = [](Link* link) { return link->endpoint() != nullptr && link->has_waiting(); };
  const auto unheard = [](const Link* link) { return link->endpoint() != nullptr && !link->window.empty(); };
  const auto some = [this](const auto& condition) {
    state_.lock.assert_held();
    return std::any_of(state_.links.known().begin(), state_.links.known().end(), condition);
  };
  for (Link* link : state_.links.known())
    if (link->state() == Link::State::open || unsent(link)) take_leave(*link);
  const std::int64_t begin = util::now_ns();
  do {
    if (!state_.packings.empty()) {
      leave();
      copy_outside();
      enter();
    }
    pump_.pump_dirty();
    state_.transport->progress();
    watch_.mend();
    greeter_.answer_all();
  } while ((state_.sending > 0 || some(unsent) || some(unheard)) && util::now_ns() - begin < kFarewell_ns);
}

// Behind everything else.
void WireDevice::take_leave(Link& link) {
  util::SpinGuard lock(link.lock);
  link.queues.frame_for(0, state_.frames, false).append({.kind = RecordKind::bye}, {});
  state_.dirty.add(link);
}

void WireDevice::close_endpoints() {
  const Status closed(Code::closed, state_.name + ": rank " + std::to_string(state_.rank) + " has closed its device",
                      Died::runtime);
  for (Link* link : state_.links.known()) {
    state_.give_up(*link, closed, true);
    undertaker_.lose(*link, true);
    for (Grave& grave : link->graves) grave.open_ns = 0;  // of links that were lost before
    undertaker_.open_graves(*link, 0);
  }
  // A transport may take its time to confirm, but must not hold up the end of a process.
  const std::int64_t end = util::now_ns() + kFarewell_ns;
  while ((state_.transport->closing() > 0 || state_.sending > 0) && util::now_ns() < end) state_.transport->progress();
}

void WireDevice::on_failure(std::function<void(Rank, const Status&)> listener) {
  on_failure_ = std::move(listener);
}

void WireDevice::on_leave(const std::function<void(Rank)>& listener) {
  on_leave_ = listener;
}

}  // namespace polder::device::wire
