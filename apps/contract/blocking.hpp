// How matrices are cut into blocks, and which rank has which block.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace contract {

using polder::Code;
using polder::Result;
using polder::Status;

// `extent` rows or columns in pieces of `piece`, of which the last one may be smaller.
struct Cut {
  std::uint64_t extent = 0;
  std::uint64_t piece = 1;  // > 0

  std::uint64_t count() const { return (extent + piece - 1) / piece; }
  std::uint64_t begin(std::uint64_t part) const { return part * piece; }
  std::uint64_t size(std::uint64_t part) const { return extent - begin(part) < piece ? extent - begin(part) : piece; }
};

struct BlockPlace {
  std::uint64_t batch = 0, row = 0, column = 0;
};

// Blocks are numbered by batch, then along the rows.
struct Grid {
  std::uint64_t batches = 1;
  Cut rows, columns;

  std::uint64_t blocks() const { return batches * rows.count() * columns.count(); }
  std::uint64_t number(const BlockPlace& at) const {
    return (at.batch * rows.count() + at.row) * columns.count() + at.column;
  }
  BlockPlace place(std::uint64_t block) const {
    const std::uint64_t row = block / columns.count();
    return {row / rows.count(), row % rows.count(), block % columns.count()};
  }
  std::uint64_t elements(std::uint64_t block) const {
    const BlockPlace at = place(block);
    return rows.size(at.row) * columns.size(at.column);
  }
  // Of the largest block.
  std::uint64_t most_elements() const { return blocks() == 0 ? 0 : rows.size(0) * columns.size(0); }
};

// The rank of each block.
using Owners = std::vector<polder::Rank>;

enum class Distribution : std::uint8_t {
  regular,  // consecutive blocks to each rank, as many to each as to any other: the paper's row-major order
  random,   // the same numbers of blocks, which ones being drawn
  cyclic,   // to a rectangle of ranks as square as there is, again and again in both directions: as ScaLAPACK
};

Owners distribute(Distribution how, const Grid& grid, polder::Rank ranks, std::uint64_t seed);

// Rows of the rectangle of ranks for `cyclic`; it has ranks / rows columns.
polder::Rank rank_rows(polder::Rank ranks);

// The owners of three matrices as a file has them: {"first": [0, 1, ...], "second": [...], "result": [...]}.
struct GivenOwners {
  Owners first, second, result;
};
Result<GivenOwners> read_owners(const std::string& path);
// invalid_argument: there are not as many as blocks, or a rank does not exist.
Status check_owners(const std::string& which, const Owners& owners, const Grid& grid, polder::Rank ranks);

// Sizes of blocks that give every rank as many blocks of the result as any other, wherever there are that many rows and
// columns: a multiple of the rectangle of ranks, which lies along the longer side (`cyclic` knows the other one only, so
// there it does not turn). Blocks have at most 1024 rows and columns, and those below 128 are avoided: their products are slow.
struct Pieces {
  std::uint64_t rows = 1, columns = 1, inner = 1;
};
Pieces default_pieces(const Pieces& extents, polder::Rank ranks, Distribution how);

}  // namespace contract
