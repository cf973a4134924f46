// Learns the distribution of keys from a small part of the input.
#pragma once

#include "file.hpp"
#include "part.hpp"
#include "record.hpp"
#include "splitters.hpp"
#include "team.hpp"

#include <vector>

namespace terasort {

// The share of a rank that is cut by S samples off the whole strays by sqrt(ranks / S) of itself (one standard
// deviation). With this many per rank that is 1 %, and the largest of a few hundred shares is below 4 % too large.
inline constexpr std::size_t kSamplesPerRank = 10'240;

// Keys from places spread evenly over `part`: runs of 40 records (one page), or all records if they are few.
Result<std::vector<PlacedKey>> sample_keys(const File& file, Part part);

// Which rank a record belongs to, and which bucket of this rank.
struct Cuts {
  Splitters ranks;
  Splitters buckets;
};

// `splitters` separate the buckets of all ranks, one rank's after another's.
Cuts cuts_of(const std::vector<PlacedKey>& splitters, unsigned rank, unsigned buckets);

// Collective. The splitters that the samples of all ranks' parts call for, the same at all.
Result<std::vector<PlacedKey>> sample_splitters(Team& team, const File& file, Part part, unsigned buckets);

// Collective. Samples this rank's `part` and agrees on where to cut: rank 0 gets all samples, chooses and tells the
// others. `buckets` per rank, the same number everywhere.
Result<Cuts> sample_cuts(Team& team, const File& file, Part part, unsigned buckets);

}  // namespace terasort
