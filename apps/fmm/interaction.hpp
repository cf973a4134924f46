// Which pairs of cells meet by expansions and which body by body: a traversal of two trees at once.
//
// Dehnen, J. Comput. Phys. 179 (2002) 27; for cells of equal size, the pairs are those of Greengard & Rokhlin's method.
#pragma once

#include "cell.hpp"

#include <cmath>
#include <cstdint>

namespace fmm {

struct Pair {
  std::uint32_t target;
  std::uint32_t source;
};

enum class Meeting : std::uint8_t { far, near, open_target, open_source, open_both };

// Cells are well separated if the expansions of both converge as fast as those of two equal cells with one cell between
// them, the usual rule: with radii of half a diagonal, a sphere around one cell that touches the sphere around the
// other is at least 1.31 times as large as its own. For cells of different size that asks for somewhat more than the
// sum of the sides as distance of the centres.
inline bool well_separated(const Cell& a, const Cell& b) {
  constexpr double kMore = 0.134;  // 1 - sqrt(3) / 2
  // Exact for equal sides: numbers of at most 22 bits, over powers of two.
  const double sa = a.side(), sb = b.side();
  const double dx = (a.x + 0.5) * sa - (b.x + 0.5) * sb, dy = (a.y + 0.5) * sa - (b.y + 0.5) * sb,
               dz = (a.z + 0.5) * sa - (b.z + 0.5) * sb;
  const double least = sa + sb + kMore * std::abs(sa - sb);
  return dx * dx + dy * dy + dz * dz >= least * least;
}

// What to do with a pair. Separated cells of so few bodies that direct summation is cheaper than a translation, `few`
// pairs, count as near. The larger cell is opened first, both if they are equal.
inline Meeting meeting_of(const Cell& target, const Cell& source, std::uint64_t few) {
  const std::uint64_t pairs = std::uint64_t{target.count} * source.count;
  // Cells of different levels meet in so many different ways that each needs a table of its own: costs as much as some
  // translations.
  if (well_separated(target, source))
    return pairs <= (target.level == source.level ? few : 8 * few) ? Meeting::near : Meeting::far;
  if (target.leaf() && source.leaf()) return Meeting::near;
  if (target.leaf()) return Meeting::open_source;
  if (source.leaf()) return Meeting::open_target;
  if (target.level == source.level) return Meeting::open_both;
  return target.level < source.level ? Meeting::open_target : Meeting::open_source;
}

}  // namespace fmm
