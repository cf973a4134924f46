#include <polder/address_map.hpp>

#include "util/mutex.hpp"
#include "util/sparse_table.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace polder {
namespace {

// A range of addresses, and where it lies. Atomic members, because readers look while a writer moves entries about; a
// version tells them whether they saw one of its half-done states (a sequence lock: Lameter 2005, Boehm 2012).
struct Entry {
  std::atomic<std::uint64_t> begin{0}, end{0}, offset{0};
  std::atomic<std::uint64_t> place{0};  // rank and segment

  bool holds(std::uint64_t address) const {
    return begin.load(std::memory_order_relaxed) <= address && address < end.load(std::memory_order_relaxed);
  }

  void set(const Entry& other) {
    begin.store(other.begin.load(std::memory_order_relaxed), std::memory_order_relaxed);
    end.store(other.end.load(std::memory_order_relaxed), std::memory_order_relaxed);
    offset.store(other.offset.load(std::memory_order_relaxed), std::memory_order_relaxed);
    place.store(other.place.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
};

constexpr std::uint64_t place_of(const GlobalAddress& address) {
  return std::uint64_t(address.rank) << 32 | address.segment;
}

struct Block {
  explicit Block(std::size_t size) : capacity(size), entries(new Entry[size]) {}
  const std::size_t capacity;
  std::unique_ptr<Entry[]> entries;
};

}  // namespace

// The ranges of one rank, in ascending order.
class AddressMap::Ranges {
 public:
  Status add(std::uint64_t address, std::uint64_t size, GlobalAddress start);
  bool remove(std::uint64_t address);
  std::optional<GlobalAddress> find(std::uint64_t address) const;

 private:
  // Index of the first entry that ends beyond `address`. For writers, and for readers who check the version afterwards.
  static std::size_t first_beyond(const Entry* entries, std::size_t count, std::uint64_t address) {
    std::size_t low = 0;
    while (count != 0) {
      const std::size_t half = count / 2;
      const bool before = entries[low + half].end.load(std::memory_order_relaxed) <= address;
      low += before ? half + 1 : 0;
      count = before ? count - half - 1 : half;
    }
    return low;
  }

  std::size_t index_of(const Entry* entries, std::size_t count, std::uint64_t address) const;
  void grow();
  template <class Change>
  void change(Change&& make) {
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    make();
    version_.store(version + 2, std::memory_order_release);
  }

  util::Mutex mutex_;  // of writers
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::size_t> count_{0};
  std::atomic<const Block*> block_{nullptr};
  mutable std::atomic<std::size_t> recent_{0};  // a guess, checked each time
  std::vector<std::unique_ptr<Block>> blocks_;  // the last is in use; a reader may still look at the others
};

// Doubles, so that all blocks together are at most twice as large as the last.
void AddressMap::Ranges::grow() {
  const std::size_t count = count_.load(std::memory_order_relaxed);
  auto larger = std::make_unique<Block>(blocks_.empty() ? 8 : 2 * blocks_.back()->capacity);
  for (std::size_t i = 0; i < count; ++i) larger->entries[i].set(blocks_.back()->entries[i]);
  block_.store(larger.get(), std::memory_order_release);
  blocks_.push_back(std::move(larger));
}

Status AddressMap::Ranges::add(std::uint64_t address, std::uint64_t size, GlobalAddress start) {
  std::lock_guard lock(mutex_);
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (blocks_.empty() || count == blocks_.back()->capacity) grow();
  Entry* entries = blocks_.back()->entries.get();
  const std::size_t at = first_beyond(entries, count, address);
  if (at < count && entries[at].begin.load(std::memory_order_relaxed) < address + size)
    return {Code::exists, "addresses " + std::to_string(address) + " to " + std::to_string(address + size) +
                              " of rank " + std::to_string(start.rank) + " overlap with a range that is there"};
  change([&] {
    for (std::size_t i = count; i > at; --i) entries[i].set(entries[i - 1]);
    entries[at].begin.store(address, std::memory_order_relaxed);
    entries[at].end.store(address + size, std::memory_order_relaxed);
    entries[at].offset.store(start.offset, std::memory_order_relaxed);
    entries[at].place.store(place_of(start), std::memory_order_relaxed);
    count_.store(count + 1, std::memory_order_relaxed);
  });
  return {};
}

bool AddressMap::Ranges::remove(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (count == 0) return false;
  Entry* entries = blocks_.back()->entries.get();
  const std::size_t at = first_beyond(entries, count, address);
  if (at == count || entries[at].begin.load(std::memory_order_relaxed) != address) return false;
  change([&] {
    for (std::size_t i = at; i + 1 < count; ++i) entries[i].set(entries[i + 1]);
    count_.store(count - 1, std::memory_order_relaxed);
  });
  return true;
}

// Programs work on one array for a while, so the range of the last answer is tried first: three loads instead of a
// search.
std::size_t AddressMap::Ranges::index_of(const Entry* entries, std::size_t count, std::uint64_t address) const {
  const std::size_t recent = recent_.load(std::memory_order_relaxed);
  if (recent < count && entries[recent].holds(address)) [[likely]]
    return recent;
  const std::size_t at = first_beyond(entries, count, address);
  if (at == count || !entries[at].holds(address)) return count;
  recent_.store(at, std::memory_order_relaxed);
  return at;
}

std::optional<GlobalAddress> AddressMap::Ranges::find(std::uint64_t address) const {
  while (true) {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    const Block* block = block_.load(std::memory_order_acquire);
    std::optional<GlobalAddress> found;
    if (block != nullptr) [[likely]] {
      const std::size_t count = std::min(count_.load(std::memory_order_relaxed), block->capacity);
      const std::size_t at = index_of(block->entries.get(), count, address);
      if (at < count) [[likely]] {
        const Entry& entry = block->entries[at];
        const std::uint64_t place = entry.place.load(std::memory_order_relaxed);
        found = GlobalAddress{
            Rank(place >> 32), SegmentId(place),
            entry.offset.load(std::memory_order_relaxed) + (address - entry.begin.load(std::memory_order_relaxed))};
      }
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (version % 2 == 0 && version_.load(std::memory_order_relaxed) == version) [[likely]]
      return found;
  }
}

struct AddressMap::Table {
  explicit Table(Rank ranks) : of_rank(ranks) {}
  util::SparseTable<Ranges> of_rank;
};

AddressMap::AddressMap(Rank ranks) : table_(std::make_unique<Table>(ranks)) {}
AddressMap::~AddressMap() = default;

Status AddressMap::add(Rank rank, std::uint64_t address, std::uint64_t size, GlobalAddress start) {
  if (rank >= table_->of_rank.limit())
    return {Code::invalid_rank, "an address range of rank " + std::to_string(rank) + ", which does not exist"};
  if (size == 0) return {};
  if (size > UINT64_MAX - address)
    return {Code::invalid_size, "an address range of " + std::to_string(size) + " bytes goes beyond all addresses"};
  return table_->of_rank.find_or_insert(rank, [] { return std::make_unique<Ranges>(); }).add(address, size, start);
}

bool AddressMap::remove(Rank rank, std::uint64_t address) {
  if (rank >= table_->of_rank.limit()) return false;
  Ranges* ranges = table_->of_rank.find(rank);
  return ranges != nullptr && ranges->remove(address);
}

std::optional<GlobalAddress> AddressMap::find(Rank rank, std::uint64_t address) const {
  if (rank >= table_->of_rank.limit()) [[unlikely]]
    return std::nullopt;
  const Ranges* ranges = table_->of_rank.find(rank);
  return ranges == nullptr ? std::nullopt : ranges->find(address);
}

}  // namespace polder
