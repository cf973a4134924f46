#include "bootstrap/local/record_store.hpp"

#include "util/assert.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <cstring>

namespace polder::bootstrap::local {
namespace {

struct RecordHead {
  std::uint32_t key_bytes;
  std::uint32_t value_bytes;
};

std::size_t record_bytes(std::size_t key_bytes, std::size_t value_bytes) {
  return util::round_up(sizeof(RecordHead) + key_bytes + value_bytes, alignof(RecordHead));
}

// Keeps the threads of the owner apart. Held for one copy of at most 4 kB.
class WriterClaim {
 public:
  explicit WriterClaim(std::atomic<std::uint32_t>& word) : word_(word) {
    while (word_.exchange(1, std::memory_order_acquire) != 0) util::yield_core();
  }
  ~WriterClaim() { word_.store(0, std::memory_order_release); }
  WriterClaim(const WriterClaim&) = delete;
  WriterClaim& operator=(const WriterClaim&) = delete;

 private:
  std::atomic<std::uint32_t>& word_;
};

void write_record(std::byte* place, std::string_view key, std::span<const std::byte> value) {
  const RecordHead head{std::uint32_t(key.size()), std::uint32_t(value.size())};
  std::memcpy(place, &head, sizeof head);
  std::memcpy(place + sizeof head, key.data(), key.size());
  if (!value.empty()) std::memcpy(place + sizeof head + key.size(), value.data(), value.size());
}

}  // namespace

Status RecordStore::append(std::string_view key, std::span<const std::byte> value) {
  POLDER_ASSERT(key.size() <= kMaxKeyBytes && value.size() <= kMaxValueBytes);
  WriterClaim claim(writing_);
  if (find(key)) return Code::exists;
  const std::size_t length = length_.load(std::memory_order_relaxed);
  const std::size_t bytes = record_bytes(key.size(), value.size());
  if (bytes > kDataBytes - length) return Code::limit;
  write_record(data_ + length, key, value);
  length_.store(std::uint32_t(length + bytes), std::memory_order_release);
  return {};
}

std::optional<std::span<const std::byte>> RecordStore::find(std::string_view key) const {
  // The store is another process's: a record that does not fit ends the list.
  const std::size_t length = std::min<std::size_t>(length_.load(std::memory_order_acquire), kDataBytes);
  for (std::size_t at = 0; at + sizeof(RecordHead) <= length;) {
    RecordHead head;
    std::memcpy(&head, data_ + at, sizeof head);
    if (head.key_bytes > kMaxKeyBytes || head.value_bytes > kMaxValueBytes) break;
    const std::size_t bytes = record_bytes(head.key_bytes, head.value_bytes);
    if (bytes > length - at) break;
    const std::byte* key_data = data_ + at + sizeof head;
    if (head.key_bytes == key.size() && std::memcmp(key_data, key.data(), key.size()) == 0)
      return std::span(key_data + head.key_bytes, head.value_bytes);
    at += bytes;
  }
  return std::nullopt;
}

}  // namespace polder::bootstrap::local
