// Making a fabric, the ranks on it, and the memory that they offer.
#include "device/sim/fabric.hpp"

#include <string>

namespace polder::device::sim {
namespace {

constexpr std::int64_t kLook = 50'000'000;  // ns, at whether a callback has returned, should its bell be missed

}  // namespace

Result<std::shared_ptr<Fabric>> Fabric::create(const FabricOptions& options) {
  if (options.ranks == 0) return Status(Code::invalid_argument, "sim: a fabric without ranks");
  if (options.min_delay_ns < 0 || options.max_delay_ns < options.min_delay_ns || options.detection_ns < 0)
    return Status(Code::invalid_argument, "sim: delays must not be negative, nor the smallest above the largest");
  if (options.max_message < 1024)
    return Status(Code::invalid_argument,
                  "sim: messages of " + std::to_string(options.max_message) + " bytes; 1024 is the least");
  if (options.queue_depth == 0) return Status(Code::invalid_argument, "sim: a queue depth of 0");
  return std::shared_ptr<Fabric>(new Fabric(options));
}

Fabric::Fabric(const FabricOptions& options) : options_(options), endpoints_(options.ranks) {}

Fabric::~Fabric() {
  {
    Lock lock(mutex_);
    stopping_ = true;
  }
  changed_.ring();
  if (thread_.joinable()) thread_.join();
}

void Fabric::listen(Rank rank, std::function<void(Rank, const Status&)> listener) {
  Lock lock(mutex_);
  endpoints_[rank].listener = std::move(listener);
}

void Fabric::detach(Rank rank) {
  Lock lock(mutex_);
  Endpoint& endpoint = endpoints_[rank];
  endpoint.attached = false;
  fail_from(rank, check_open(rank));
  endpoint.links.clear();
  endpoint.inbox.clear();
  std::erase_if(memory_, [&](const auto& entry) { return entry.second.owner == rank; });
  tell(lock);
  while (!endpoint.notices.empty() || endpoint.telling) {
    util::Bell::Listener listener(told_);
    lock.unlock();
    listener.sleep(kLook);
    lock.lock();
  }
  endpoint.listener = nullptr;
}

Result<std::uint64_t> Fabric::add_memory(SharedMemory memory) {
  Lock lock(mutex_);
  if (Status status = check_open(memory.owner); !status.ok()) return status;
  const std::uint64_t handle = next_handle_++;
  memory_.emplace(handle, std::move(memory));
  return handle;
}

void Fabric::remove_memory(std::uint64_t handle) {
  Lock lock(mutex_);
  // Unmapped behind the lock, if no peer has it mapped.
  auto memory = memory_.extract(handle);
  lock.unlock();
}

bool Fabric::open_window(std::uint64_t handle, std::uint64_t window, std::span<const MemoryRun> memory) {
  Lock lock(mutex_);
  const auto found = memory_.find(handle);
  if (!options_.put_get || found == memory_.end()) return false;
  found->second.windows.open(window, memory);
  return true;
}

void Fabric::close_window(std::uint64_t handle, std::uint64_t window) {
  Lock lock(mutex_);
  if (const auto found = memory_.find(handle); found != memory_.end()) found->second.windows.close(window);
}

Result<SharedMemory> Fabric::find_memory(Rank finder, Rank owner, std::uint64_t handle) {
  Lock lock(mutex_);
  if (Status status = check_open(finder); !status.ok()) return status;
  const auto found = memory_.find(handle);
  if (found == memory_.end() || found->second.owner != owner)
    return Status(Code::invalid_segment, "sim: rank " + std::to_string(owner) + " does not offer this memory any more");
  return found->second;
}

std::vector<Message> Fabric::take_messages(Rank rank, std::size_t limit) {
  Lock lock(mutex_);
  Endpoint& endpoint = endpoints_[rank];
  if (endpoint.death != 0) endpoint.inbox.clear();
  std::vector<Message> messages;
  while (!endpoint.inbox.empty() && messages.size() < limit) {
    messages.push_back(std::move(endpoint.inbox.front()));
    endpoint.inbox.pop_front();
    Endpoint& sender = endpoints_[messages.back().source];
    if (const auto link = sender.links.find(rank); link != sender.links.end() && link->second.unread > 0)
      --link->second.unread;
  }
  endpoint.has_mail.store(!endpoint.inbox.empty(), std::memory_order_release);
  return messages;
}

}  // namespace polder::device::sim
