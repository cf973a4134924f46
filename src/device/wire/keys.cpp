// Keys to memory. A rank that means to reach a region asks its owner for the key, once; until the answer is there, and
// if it is no, messages carry what there is to do. An owner that takes memory back revokes the key, and keeps the
// memory until everybody who holds the key has ended what is under way and has said so, or is lost.
#include "device/wire/wire_device.hpp"
#include "util/log.hpp"

#include <algorithm>

namespace polder::device::wire {

// ---- at the initiator ----

RemoteMemory* WireDevice::find_memory(Link& link, std::uint64_t region) {
  const auto found = link.accesses.memory.find(region);
  return found == link.accesses.memory.end() ? nullptr : found->second.get();
}

// In a frame of its own: it must not wait for what is large.
void WireDevice::ask_for_key(Link& link, std::uint64_t region) {
  auto& memory = link.accesses.memory;
  if (memory.size() >= Accesses::kRemembered)
    std::erase_if(memory, [](const auto& one) { return one.second->state == RemoteMemory::State::refused; });
  memory.emplace(region, std::make_shared<RemoteMemory>());
  Frame* frame = frames_.take();
  frame->append({.kind = RecordKind::ask, .region = region}, {});
  transmit(link, *frame, {});
}

void WireDevice::take_key(Link& link, const Record& record, std::span<const std::byte> payload) {
  RemoteMemory* memory = find_memory(link, record.region);
  if (memory == nullptr || memory->state != RemoteMemory::State::asked) return;
  memory->state = RemoteMemory::State::refused;
  if (payload.size() <= sizeof(KeyPayload)) return;
  if (const Status status = open_with(link, *memory, payload); !status.ok()) {
    util::log(util::LogLevel::info, "rank %u reaches memory of rank %u by messages only: %s", rank_, link.peer,
              status.to_string().c_str());
    respond(link, {.kind = RecordKind::release, .region = record.region}, {});
  }
}

Status WireDevice::open_with(Link& link, RemoteMemory& memory, std::span<const std::byte> payload) {
  KeyPayload about;
  std::memcpy(&about, payload.data(), sizeof about);
  auto key = transport_->unpack(*link.endpoint(), payload.subspan(sizeof about));
  if (!key.ok()) return std::move(key).status();
  memory.key = *std::move(key);
  memory.address = about.address;
  memory.size = about.size;
  memory.state = RemoteMemory::State::granted;
  return {};
}

void WireDevice::serve_revoke(Link& link, const Record& record) {
  RemoteMemory* memory = find_memory(link, record.region);
  if (memory != nullptr) memory->state = RemoteMemory::State::revoked;
  if (memory == nullptr || memory->accesses == 0) give_key_back(link, record.region);
}

void WireDevice::give_key_back(Link& link, std::uint64_t region) {
  link.accesses.memory.erase(region);
  respond(link, {.kind = RecordKind::release, .region = region}, {});
}

void WireDevice::end_use(Link& link, std::uint64_t region) {
  RemoteMemory* memory = find_memory(link, region);
  if (memory != nullptr && --memory->accesses == 0 && memory->state == RemoteMemory::State::revoked)
    give_key_back(link, region);
}

// ---- at the owner ----

void WireDevice::serve_ask(Link& link, const Record& record) {
  const Record answer{.kind = RecordKind::key, .region = record.region};
  Exposed* exposed = exposed_.find(record.region);
  if (exposed == nullptr || exposed->registration == nullptr) return respond(link, answer, {});
  if (std::find(exposed->holders.begin(), exposed->holders.end(), &link) == exposed->holders.end())
    exposed->holders.push_back(&link);
  const KeyPayload about{.address = reinterpret_cast<std::uintptr_t>(exposed->data), .size = exposed->size};
  const std::span<const std::byte> key = exposed->registration->key();
  std::vector<std::byte> payload(sizeof about + key.size());
  std::memcpy(payload.data(), &about, sizeof about);
  std::copy(key.begin(), key.end(), payload.begin() + sizeof about);
  respond(link, answer, payload);
}

void WireDevice::take_release(Link& link, const Record& record) {
  Exposed* exposed = exposed_.find_any(record.region);
  if (exposed == nullptr) return;
  std::erase(exposed->holders, &link);
  exposed_.remove_unused(record.region);
}

}  // namespace polder::device::wire
