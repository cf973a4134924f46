#include "device/wire/access/memory_keys.hpp"

#include "util/log.hpp"

#include <algorithm>

namespace polder::device::wire {

// ---- at the initiator ----

// In a frame of its own: it must not wait for what is large.
void MemoryKeys::ask(Link& link, std::uint64_t region) {
  auto& memory = link.accesses.memory;
  if (memory.size() >= Accesses::kRemembered)
    std::erase_if(memory, [](const auto& one) { return one.second->state == RemoteMemory::State::refused; });
  memory.emplace(region, std::make_shared<RemoteMemory>());
  Frame* frame = state_.frames.take();
  frame->append({.kind = RecordKind::ask, .region = region}, {});
  sender_.transmit(link, *frame, {});
}

void MemoryKeys::take_key(Link& link, const Record& record, std::span<const std::byte> payload) {
  RemoteMemory* memory = link.accesses.find(record.region);
  if (memory == nullptr || memory->state != RemoteMemory::State::asked) return;
  memory->state = RemoteMemory::State::refused;
  if (payload.size() <= sizeof(KeyPayload)) return;
  if (const Status status = open_with(link, *memory, payload); !status.ok()) {
    util::log(util::LogLevel::info, "rank %u reaches memory of rank %u by messages only: %s", state_.rank, link.peer,
              status.to_string().c_str());
    responder_.respond(link, {.kind = RecordKind::release, .region = record.region}, {});
  }
}

Status MemoryKeys::open_with(Link& link, RemoteMemory& memory, std::span<const std::byte> payload) {
  KeyPayload about;
  std::memcpy(&about, payload.data(), sizeof about);
  auto key = state_.transport->unpack(*link.endpoint(), payload.subspan(sizeof about));
  if (!key.ok()) return std::move(key).status();
  memory.key = *std::move(key);
  memory.address = about.address;
  memory.size = about.size;
  memory.state = RemoteMemory::State::granted;
  return {};
}

void MemoryKeys::take_revoke(Link& link, const Record& record) {
  RemoteMemory* memory = link.accesses.find(record.region);
  if (memory != nullptr) memory->state = RemoteMemory::State::revoked;
  if (memory == nullptr || memory->accesses == 0) give_back(link, record.region);
}

void MemoryKeys::give_back(Link& link, std::uint64_t region) {
  link.accesses.memory.erase(region);
  responder_.respond(link, {.kind = RecordKind::release, .region = region}, {});
}

void MemoryKeys::end_use(Link& link, std::uint64_t region) {
  RemoteMemory* memory = link.accesses.find(region);
  if (memory != nullptr && --memory->accesses == 0 && memory->state == RemoteMemory::State::revoked)
    give_back(link, region);
}

// ---- at the owner ----

void MemoryKeys::serve_ask(Link& link, const Record& record) {
  const Record answer{.kind = RecordKind::key, .region = record.region};
  Exposed* exposed = state_.exposed.find(record.region);
  if (exposed == nullptr || exposed->registration == nullptr) return responder_.respond(link, answer, {});
  if (std::find(exposed->holders.begin(), exposed->holders.end(), &link) == exposed->holders.end())
    exposed->holders.push_back(&link);
  const KeyPayload about{.address = reinterpret_cast<std::uintptr_t>(exposed->data), .size = exposed->size};
  const std::span<const std::byte> key = exposed->registration->key();
  std::vector<std::byte> payload(sizeof about + key.size());
  std::memcpy(payload.data(), &about, sizeof about);
  std::copy(key.begin(), key.end(), payload.begin() + sizeof about);
  responder_.respond(link, answer, payload);
}

void MemoryKeys::take_release(Link& link, const Record& record) {
  Exposed* exposed = state_.exposed.find_any(record.region);
  if (exposed == nullptr) return;
  std::erase(exposed->holders, &link);
  state_.exposed.remove_unused(record.region);
}

}  // namespace polder::device::wire
