// An append-only list of key/value records in shared memory: one process writes, everyone reads, nobody locks.
#pragma once

#include "util/platform.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace polder::bootstrap::local {

inline constexpr std::size_t kStoreBytes = 64 << 10;  // of one rank, keys and lengths included
inline constexpr std::size_t kMaxKeyBytes = 255;
inline constexpr std::size_t kMaxValueBytes = 4096;

// Lies in the job page. All zeros is an empty store, and pages come into being only as records fill them.
//
// A record becomes visible with the release store of the new length, so a writer that dies half-way leaves nothing
// behind. Records never move: a span that find() gave stays valid while the page is mapped.
class alignas(util::kPage) RecordStore {
 public:
  // Threads of the owning process only. exists: the key is taken; limit: no room. Both without a text.
  // REQUIRES: sizes within kMaxKeyBytes and kMaxValueBytes.
  Status append(std::string_view key, std::span<const std::byte> value);

  // The value, or nothing if the owner has not appended `key` yet. Cost: one pass over the records.
  std::optional<std::span<const std::byte>> find(std::string_view key) const;

 private:
  static constexpr std::size_t kDataBytes = kStoreBytes - 8;

  std::atomic<std::uint32_t> length_;   // bytes of data_ that hold whole records
  std::atomic<std::uint32_t> writing_;  // 1 while a thread appends; dies with its process, which is the only writer
  std::byte data_[kDataBytes];
};

static_assert(sizeof(RecordStore) == kStoreBytes);

}  // namespace polder::bootstrap::local
