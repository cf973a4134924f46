// Where the curve of Morton keys is cut, so that every rank has the same work.
#pragma once

#include "radix_sort.hpp"
#include "team.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace fmm {

// Collective. Rank r gets keys from cuts[r-1] to below cuts[r]; there are size() - 1 cuts. `sorted` are this rank's
// keys, `weights` what each costs (by KeyedIndex::index), in any unit that is the same everywhere. All ranks get the
// same cuts.
//
// Every cut is narrowed by an eighth of its range in a round, all at once: 7 (P-1) sums a round, and as many rounds as
// the octree has levels where the weight of a range becomes negligible.
Result<std::vector<std::uint64_t>> find_cuts(const Team& team, std::span<const KeyedIndex> sorted,
                                             std::span<const double> weights);

}  // namespace fmm
