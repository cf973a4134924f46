#include "device/wire/memory/memory_offers.hpp"

#include "device/wire/memory/page_faults.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

struct MemoryKey {
  std::uint64_t magic;
  std::uint64_t handle;
  std::uint64_t size;
  Rank owner;
  std::uint32_t present;  // 0: reached by messages to its owner, because pages of it may be missing
};

constexpr std::uint64_t kKeyMagic = 0x706f6c6465724b01;

constexpr std::size_t kKeyLimit = 4096;  // a few dozen bytes for each network device of a host

// How long a peer may take to accept what it has asked for, or to end its accesses, once the owner wants the memory
// back.
constexpr std::int64_t kReading_ns = 10'000'000'000;

// Whether the kernel reads and this process may touch `memory`: that of a device is neither, mostly.
bool is_readable(const void* memory, std::size_t size) {
  if (size == 0) return true;
  char bytes[2];
  const iovec local[] = {{&bytes[0], 1}, {&bytes[1], 1}};
  auto* first = static_cast<char*>(const_cast<void*>(memory));
  const iovec remote[] = {{first, 1}, {first + size - 1, 1}};
  const ssize_t read = ::process_vm_readv(::getpid(), local, 2, remote, 2, 0);
  return read == 2 || (read < 0 && errno != EFAULT);  // where the call is forbidden, it tells nothing
}

}  // namespace

Result<Exposure> MemoryOffers::expose(void* memory, std::size_t size) {
  Exposed exposed;
  exposed.data = static_cast<std::byte*>(memory);
  exposed.size = size;
  const bool watched = memory != nullptr && !memory_.is_own(memory, size) && pages_may_be_missing(memory, size);
  if (memory == nullptr) {
    if (Status status = allocate(exposed, size); !status.ok()) return status;
  } else if (watched) {
    exposed.concealed = true;
  } else if (!is_readable(memory, size) || !state_.transport->is_host_memory(memory, size)) {
    return Status(Code::unsupported,
                  state_.name + ": the " + std::to_string(size) + " bytes that rank " + std::to_string(state_.rank) +
                      " wants to expose are not memory of the host: only that can be reached",
                  Died::operation);
  }
  if (!watched) open_up(exposed);
  return offer(std::move(exposed), !watched);
}

// Only what large accesses can mean. What the transport does not register is reached by messages.
void MemoryOffers::open_up(Exposed& exposed) {
  if (!state_.rma || exposed.size < state_.rma_bytes) return;
  auto made = state_.transport->register_memory(exposed.data, exposed.size);
  if (made.ok() && (*made)->key().size() <= kKeyLimit)
    exposed.registration = *std::move(made);
  else
    util::log(util::LogLevel::info, "rank %u: %zu bytes are reached by messages only: %s", state_.rank,
              std::size_t(exposed.size), made.ok() ? "their key is too long" : made.status().to_string().c_str());
}

Result<Exposure> MemoryOffers::expose_to_neighbours(std::size_t size) {
  Exposed exposed;
  exposed.concealed = true;
  if (Status status = allocate(exposed, size); !status.ok()) return status;
  return offer(std::move(exposed), true);
}

Status MemoryOffers::allocate(Exposed& exposed, std::size_t size) {
  auto file = util::create_memory_file("polder-segment", size);
  if (!file.ok()) return std::move(file).status();
  auto mapping = util::map_shared(*file, size);
  if (!mapping.ok()) return std::move(mapping).status();
  exposed.mapping = *std::move(mapping);
  exposed.data = exposed.mapping.data();
  exposed.size = size;
  return {};
}

Exposure MemoryOffers::offer(Exposed exposed, bool present) {
  if (present) memory_.own(exposed.data, exposed.size);
  Exposure exposure{.data = exposed.data, .size = exposed.size, .key = {}};
  entrance_.enter();
  exposure.handle = state_.exposed.add(std::move(exposed));
  entrance_.leave();
  exposure.key = Key::of(MemoryKey{kKeyMagic, exposure.handle, exposure.size, state_.rank, present ? 1u : 0u});
  return exposure;
}

void MemoryOffers::conceal(const Exposure& exposure) {
  memory_.disown(exposure.data);
  entrance_.enter();
  if (Exposed* exposed = state_.exposed.find_any(exposure.handle)) {
    exposed->concealed = true;
    for (Link* holder : exposed->holders)
      responder_.respond(*holder, {.kind = RecordKind::revoke, .region = exposure.handle}, {});
    // What the device allocated stays until nobody reads or writes it; what is the user's must be given back.
    if (!exposed->mapping) await_users(exposure.handle);
    exposed = state_.exposed.find_any(exposure.handle);
    if (exposed != nullptr && !exposed->in_use()) state_.exposed.remove(exposure.handle);
  }
  entrance_.leave();
}

bool MemoryOffers::open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory) {
  const auto is_foreign_run = [&](const MemoryRun& run) { return memory_.is_foreign(run.data(), run.size()); };
  if (state_.rma || std::any_of(memory.begin(), memory.end(), is_foreign_run)) return false;
  entrance_.enter();
  Exposed* const exposed = state_.exposed.find(exposure.handle);
  if (exposed != nullptr) exposed->windows.open(window, memory);
  entrance_.leave();
  return exposed != nullptr;
}

void MemoryOffers::close_window(const Exposure& exposure, std::uint64_t window) {
  entrance_.enter();
  if (Exposed* exposed = state_.exposed.find_any(exposure.handle)) exposed->windows.close(window);
  entrance_.leave();
}

// A peer that takes nothing of what it has asked for, or does not give a key back, is given up in the end.
void MemoryOffers::await_users(std::uint64_t handle) {
  const std::int64_t end = util::now_ns() + kReading_ns;
  const auto is_used = [&] {
    state_.lock.assert_held();
    const Exposed* exposed = state_.exposed.find_any(handle);
    return exposed != nullptr && exposed->in_use();
  };
  while (is_used()) {
    if (util::now_ns() > end) give_up_users(*state_.exposed.find_any(handle));
    state_.transport->progress();
    watch_.mend();
    watch_.tick(util::now_ns());
    entrance_.leave();
    if (state_.is_pending()) state_.sleeper.wake();  // what has come is left to others
    ::sched_yield();
    entrance_.enter();
  }
}

void MemoryOffers::give_up_users(const Exposed& exposed) {
  for (Link* link : state_.links.known()) {
    const bool holds = std::count(exposed.holders.begin(), exposed.holders.end(), link) > 0;
    if (link->endpoint() != nullptr && (holds || !link->window.empty()))
      state_.give_up(*link,
                     {Code::peer_failed,
                      "rank " + std::to_string(link->peer) + " does not " +
                          (holds ? "give back the key to memory" : "take what it asked for"),
                      Died::peer},
                     false);
  }
}

Result<Region> MemoryOffers::import(Rank owner, const Key& key) const {
  MemoryKey memory{};
  if (!key.read(memory) || memory.magic != kKeyMagic || memory.owner != owner)
    return Status(Code::invalid_argument,
                  state_.name + ": the key of memory of rank " + std::to_string(owner) + " is not one");
  const bool reached = memory.present != 0;
  return Region{.size = memory.size, .put_get = reached, .atomics = reached, .handle = memory.handle};
}

}  // namespace polder::device::wire
