// What a snapshot shows, for a person.
#pragma once

#include "live/snapshot.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace polder::cli {

// "rank 3", "ranks 0, 3 to 63". REQUIRES: upwards, not empty.
std::string rank_names(std::span<const Rank> ranks);

// "41 s", "2.5 s", "350 ms".
std::string duration_text(double seconds);

// "waits in barrier of the world for ranks 1, 2", "computes"; without how long.
std::string doing(const RankView& view);

// Where every rank stands, those who have waited longest first, ranks of which the same is to be said together:
// "ranks 0, 3 wait in barrier of the world for ranks 1, 2, for 41 s". At most `lines` of them; the last one says how
// many are left out.
std::vector<std::string> sentences(const Snapshot& snapshot, std::size_t lines);

// A heading and a row a rank, those who have waited longest first, of at most `width` columns and `height` lines.
std::vector<std::string> table(const Snapshot& snapshot, std::size_t width, std::size_t height);

}  // namespace polder::cli
