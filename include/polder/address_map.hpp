// From absolute addresses to global ones: for doors whose users name remote memory by rank and pointer.
//
//   map.add(rank, pointer, size, allocation.at(rank));
//   std::optional<GlobalAddress> where = map.find(rank, pointer + 8);   // {rank, segment, 8}
//
// Which pointer stands for the memory of a rank is the door's choice: where it is mapped here (Runtime::direct_pointer)
// or where its owner sees it. Ranges of different ranks may overlap.
#pragma once

#include <polder/export.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace polder {

// Thread safe. find() takes no lock and allocates nothing: it tries the range of the last answer for that rank, then a
// binary search over the ranges of that rank, some 30 ns; it searches again if a writer changed them meanwhile. Memory
// is proportional to the ranges.
class POLDER_API AddressMap {
 public:
  explicit AddressMap(Rank ranks);
  ~AddressMap();
  AddressMap(const AddressMap&) = delete;
  AddressMap& operator=(const AddressMap&) = delete;

  // The bytes address .. address + size - 1 of `rank` lie at `start` and behind. Nothing happens for a size of 0.
  // invalid_rank; invalid_size: they go beyond all addresses; exists: they overlap with a range of that rank.
  Status add(Rank rank, std::uint64_t address, std::uint64_t size, GlobalAddress start);
  Status add(Rank rank, const void* address, std::uint64_t size, GlobalAddress start) {
    return add(rank, reinterpret_cast<std::uintptr_t>(address), size, start);
  }

  // The range that begins at `address`. False: there is none.
  bool remove(Rank rank, std::uint64_t address);
  bool remove(Rank rank, const void* address) { return remove(rank, reinterpret_cast<std::uintptr_t>(address)); }

  // Where the byte lies. Nothing: no range of the rank holds it.
  std::optional<GlobalAddress> find(Rank rank, std::uint64_t address) const;
  std::optional<GlobalAddress> find(Rank rank, const void* address) const {
    return find(rank, reinterpret_cast<std::uintptr_t>(address));
  }

 private:
  class Ranges;
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace polder
