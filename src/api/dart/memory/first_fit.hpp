// Which bytes of a pool are taken: first fit from low offsets, in grains that keep every type aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace polder::dart {

// Thread safe. O(pieces) for taking, O(log pieces) for giving back. Keeps its books outside of the pool, all of which
// can be taken.
class FirstFit {
 public:
  static constexpr std::uint64_t kGrain = 16;

  explicit FirstFit(std::uint64_t bytes) { free_[0] = bytes; }

  // The offset of so many bytes (at least one grain), or nothing: no free piece is as large.
  std::optional<std::uint64_t> take(std::uint64_t bytes);
  // False: nothing begins at the offset.
  bool give_back(std::uint64_t offset);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> free_;   // offset to bytes; neighbours are merged
  std::map<std::uint64_t, std::uint64_t> taken_;  // likewise
};

}  // namespace polder::dart
