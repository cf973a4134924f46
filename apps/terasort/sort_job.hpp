// The whole sort: check, sample, shuffle, sort, write. Every rank runs it.
#pragma once

#include "report.hpp"
#include "shuffle.hpp"
#include "team.hpp"

#include <cstdint>
#include <string>

namespace terasort {

struct SortOptions {
  std::string input;
  std::string output;                      // may be the input
  std::uint64_t buffer_bytes = 256 << 10;  // per message of the shuffle
  std::uint64_t chunk_bytes = 256 << 10;   // per read of the input
  std::uint64_t write_bytes = 2 << 20;     // per write of the output; a huge page of the page cache
  double headroom = 1.25;                  // room for records per rank, over an even share
  std::uint64_t memory = 0;                // bytes that the ranks of one node may use; 0: what the system has available
  double patience = 600;                   // seconds without a sign of life after which a peer counts as lost
  bool sync = false;                       // wait until the output is on the disk
  bool progress = true;
  std::string json;  // where rank 0 writes the report; empty: nowhere
};

// The memory of one rank, for `records` in all; `buffers` is the shuffle's own need:
//
//   (headroom * records / ranks + slack) * 132 + buckets + buffers + chunk + write + sampling
//
// 132 bytes per record: the record (100) and two sort entries (16 each), for the case that all records are in one
// bucket; usually the entries of a single bucket are all there are. Each bucket ends with a part of a block that is
// empty. The slack of 1024 records is for tiny files.
struct MemoryBound {
  std::uint64_t capacity = 0;  // records
  unsigned buckets = 1;
  std::uint64_t bytes = 0;
};
MemoryBound memory_bound(const SortOptions& options, std::uint64_t records, unsigned ranks, const Shuffle& shuffle);
// The same for buffers of so many bytes, in a shuffle that does not receive in place.
MemoryBound memory_bound(const SortOptions& options, std::uint64_t records, unsigned ranks, std::uint64_t buffers,
                         bool in_place = false);

// Collective. On success the output has its name at all ranks' return; on failure it has not changed. All ranks fail
// together; those that stopped because of another one get an error without a text.
Result<SortReport> sort_file(Team& team, Shuffle& shuffle, const SortOptions& options);

}  // namespace terasort
