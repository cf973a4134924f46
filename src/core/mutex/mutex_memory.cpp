#include "core/mutex/mutex_memory.hpp"

#include "core/group/allocation_state.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "util/platform.hpp"

#include <algorithm>

namespace polder::core {

// ---- making it ----

std::size_t MutexMemory::bytes_of_one(std::size_t members) {
  return util::round_up(sizeof(std::uint64_t) * (1 + (members + kBits - 1) / kBits), util::kCacheLine);
}

std::vector<std::uint32_t> MutexMemory::counts_of(const Allocation& memory, std::size_t members) {
  std::vector<std::uint32_t> counts;
  for (const Contribution& each : memory.contributions())
    counts.push_back(std::uint32_t(each.size / bytes_of_one(members)));
  return counts;
}

Result<std::unique_ptr<Allocation>> MutexMemory::allocate(const GroupPorts& ports, Group& group, std::size_t count,
                                                          Timeout timeout) {
  if (!group.committed()) return Status(Code::invalid_group, "mutexes of a group that has not been committed");
  const std::size_t each = bytes_of_one(group.size());
  if (count > UINT32_MAX / each)
    return Status(Code::invalid_size, std::to_string(count) + " mutexes at a rank are too many");
  auto memory = AllocationState::make(ports, group, {.size = count * each, .notifications = 1, .gather = true});
  if (Status status = memory->commit(timeout); !status.ok()) return status;
  return memory;
}

MutexMemory::MutexMemory(const GroupPorts& ports, Group& group, std::unique_ptr<Allocation> memory)
    : ports_(ports),
      group_(group),
      me_(group.index()),
      memory_(std::move(memory)),
      counts_(counts_of(*memory_, group.size())),
      largest_count_(*std::max_element(counts_.begin(), counts_.end())),
      locals_(largest_count_ * group.size()) {}

std::size_t MutexMemory::count(Rank rank) const {
  const auto member = group_.relative(rank);
  return member ? counts_[*member] : 0;
}

std::string MutexMemory::describe(MutexName which) {
  return "mutex " + std::to_string(which.index) + " of rank " + std::to_string(which.rank);
}

Result<FoundMutex> MutexMemory::find(MutexName which) const {
  if (!memory_->committed()) return Status(Code::invalid_argument, describe(which) + " has been destroyed");
  const auto member = group_.relative(which.rank);
  if (!member)
    return Status(Code::invalid_rank, describe(which) + ": that rank is no member of the group they belong to");
  if (which.index >= counts_[*member])
    return Status(Code::invalid_argument,
                  describe(which) + ": that rank has " + std::to_string(counts_[*member]) + " of them");
  const GlobalAddress word = memory_->at(which.rank, which.index * bytes_of_one(group_.size()));
  FoundMutex::Local& local = locals_.find_or_insert(*member * largest_count_ + which.index,
                                                    [] { return std::make_unique<FoundMutex::Local>(); });
  return FoundMutex{which, word, word + sizeof(std::uint64_t), &local};
}

// ---- reading and changing it ----

// Each is a round trip at most, and its outcome must be known: no timeout. A dead home ends it.
Result<std::uint64_t> MutexMemory::apply(AtomicOp op, GlobalAddress place, std::uint64_t operand,
                                         std::uint64_t compare) {
  return ports_.one_sided.atomic(place, Update::of_word(op, 8, operand, compare), Timeout::block());
}

Result<MutexWord> MutexMemory::load(const FoundMutex& mutex) {
  auto value = apply(AtomicOp::fetch_add, mutex.word, 0);
  if (!value.ok()) return std::move(value).status();
  return MutexWord{*value};
}

Result<bool> MutexMemory::replace(const FoundMutex& mutex, MutexWord& from, MutexWord to) {
  auto old = apply(AtomicOp::compare_swap, mutex.word, to.value, from.value);
  if (!old.ok()) return std::move(old).status();
  if (*old == from.value) return true;
  from.value = *old;
  return false;
}

bool MutexMemory::is_gone(std::size_t member) const {
  return ports_.peers.health(group_.absolute(Rank(member))) != Health::healthy;
}

}  // namespace polder::core
