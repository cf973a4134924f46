#include "device/wire/wire_device.hpp"

#include "device/wire/format/peer_address.hpp"

#include <string>

namespace polder::device::wire {

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
  entrance_.enter();
  farewell_.say();
  const bool unheard = farewell_.is_unheard();
  farewell_.close_endpoints();
  state_.exposed.clear();  // while the context lives
  entrance_.leave();
  copier_.copy_all();
  state_.transport->abandon_if_needed(unheard);
  state_.transport.reset();
}

void WireDevice::retire() {
  entrance_.enter();
  farewell_.say();
  farewell_.close_endpoints();
  entrance_.retire();
  entrance_.leave();
  copier_.copy_all();
}

std::vector<std::byte> WireDevice::address() const {
  return pack_address(state_.name, state_.rank, state_.transport->address());
}

Status WireDevice::connect(Rank peer, std::span<const std::byte> address) {
  if (peer >= state_.size)
    return {Code::invalid_rank,
            state_.name + ": connect to rank " + std::to_string(peer) + " of " + std::to_string(state_.size)};
  const auto there = read_address(state_.name, peer, address);
  if (!there)
    return {Code::invalid_argument, state_.name + ": this is not the address of rank " + std::to_string(peer)};
  entrance_.enter();
  Status status = entrance_.is_retired() ? Status(Code::closed) : greeter_.reach(state_.links.of(peer), *there);
  entrance_.leave();
  return status;
}

void WireDevice::disconnect(Rank peer) {
  if (Link* link = state_.links.find(peer)) link->want(false);
}

void WireDevice::abandon(Rank peer) {
  entrance_.enter();
  if (Link* link = state_.links.find(peer); link != nullptr && link->endpoint() != nullptr)
    state_.give_up(
        *link, {Code::peer_failed, "rank " + std::to_string(peer) + " does not take what was sent to it", Died::peer},
        false);
  watch_.mend();
  entrance_.leave();
}

Status WireDevice::put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                              const Flag& flag, CompletionSink* completion) {
  const FlagToRaise named{control, flag};
  return poster_.put(peer, region, pieces, &named, completion);
}

int WireDevice::progress(MessageSink& sink) {
  state_.sleeper.note_poll();
  const int events = turns_.turn();
  return events + delivery_.deliver(sink);
}

}  // namespace polder::device::wire
