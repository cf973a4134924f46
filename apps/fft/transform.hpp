// A three-dimensional transform whose field lies in slabs or pencils of many ranks.
//
// Ranks make a grid of `rows` x `columns`; rank r lies in row r / columns and column r % columns. (Slabs: one column.)
// With extents X, Y, Z of which Z runs fastest, a rank has at first
//
//   its part of X (by row), its part of Y (by column), all of Z        [x][y][z]   lines along z are transformed and, piece
//                                                                                  by piece of x, exchanged in the row
//   its part of X, all of Y, its part of Z (by column)                 [z][x][y]   lines along y, and piece by piece of z
//                                                                                  exchanged in the column of ranks
//   all of X, its part of Y (by row), its part of Z                    [z][y][x]   lines along x: the result
//
// Slabs have all of Y and Z at first: planes are transformed in both directions while they lie in the cache and, piece by piece
// of x, go to where the result lies at once.
//
// A piece is on its way as soon as its lines are transformed, while the next one is computed, up to four at a time; as in
// the report EPEEC D4.3, chapter 3.3, for Quantum ESPRESSO. Per rank: 2 (1 for slabs) exchanges of its share of the field.
#pragma once

#include "exchange.hpp"
#include "lines.hpp"
#include "split.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace fft {

using Extents = std::array<std::uint64_t, 3>;

struct Grid {
  unsigned rows = 1, columns = 1;
};

// Where a rank's parts lie.
struct Share {
  Share() = default;
  Share(const Extents& n, const Grid& grid, unsigned rank);

  Extents extents{};
  unsigned row = 0, column = 0;
  Split x, y, z;      // x by row; y and z by column
  Split y_of_result;  // by row

  bool in_slabs() const { return z.parts == 1; }
  std::uint64_t own_x() const { return x.count(row); }
  std::uint64_t own_y() const { return y.count(column); }
  std::uint64_t own_z() const { return z.count(column); }
  std::uint64_t own_result_y() const { return y_of_result.count(row); }
  std::uint64_t elements_at_first() const { return own_x() * own_y() * extents[2]; }
  std::uint64_t elements_between() const { return own_x() * extents[1] * own_z(); }
  std::uint64_t elements_of_result() const { return extents[0] * own_result_y() * own_z(); }
};

struct Tuning {
  unsigned pieces = 8;  // into which each exchange is cut
  Effort effort = Effort::estimate;
};

// Pieces for a field of so many ranks: up to 4, of 512 kB at least. Smaller ones cost more than their way hides.
unsigned fitting_pieces(const Extents& n, unsigned ranks);

// Seconds of this rank: in transforms and copies, and waiting for others.
struct Times {
  double computing = 0, waiting = 0;
};

class Transform {
 public:
  // `row` carries between the ranks of a row, `column` between those of a column; both outlive the transform.
  static Result<Transform> create(const Share& share, Exchange& row, Exchange& column, bool inverse, Tuning tuning);

  // Bytes that a rank needs beside its field, at most.
  static std::uint64_t memory(const Share& share, const Tuning& tuning);

  // `field`: elements_at_first(), changed meanwhile; afterwards elements_of_result(), divided by the number of elements if
  // it is the inverse. `told` hears how many of 2 * pieces are done. Collective.
  Status run(std::vector<Complex>& field, const std::function<void(unsigned)>& told = {});

  const Times& times() const { return times_; }

 private:
  struct Piece {
    unsigned number = 0;
    std::uint64_t begin = 0, count = 0;
  };
  // What differs between the two exchanges. Blocks of a piece are packed for each member, and unpacked.
  struct Leg {
    Exchange* exchange;
    std::uint64_t places;  // that are cut into pieces
    std::function<Status(Piece)> before, after;
    std::function<std::uint64_t(Piece, unsigned member)> leaving, coming;  // elements
    std::function<void(Piece, unsigned member, Complex*)> pack;
    // Blocks lie in rows that are `width` long: as long as the block where it was packed, longer where this rank's own block is
    // taken from where it lies.
    std::function<void(Piece, unsigned member, const Complex*, std::uint64_t width)> unpack;
    std::function<const Complex*(Piece)> own;
    std::uint64_t width_of_packed, width_of_own;
  };

  Transform(const Share& share, Exchange& row, Exchange& column, Lines x, Lines y, Lines z, Lines planes,
            Tuning tuning);

  Status run_pencils(std::vector<Complex>& field, const std::function<void(unsigned)>& told);
  Status run_slabs(std::vector<Complex>& field, const std::function<void(unsigned)>& told);
  Leg slab_leg(std::vector<Complex>& from, std::vector<Complex>& to);
  Leg first_leg(std::vector<Complex>& from, std::vector<Complex>& to);
  Leg second_leg(std::vector<Complex>& from, std::vector<Complex>& to);
  Status travel(const Leg& leg, const std::function<void(unsigned)>& told, unsigned done);
  Status send(const Leg& leg, Piece piece, unsigned slot);
  Status take(const Leg& leg, Piece piece, unsigned slot);
  Piece piece_of(const Leg& leg, unsigned number) const;

  Share share_;
  Exchange *row_, *column_;
  Lines x_, y_, z_, planes_;
  Tuning tuning_;
  bool inverse_ = false;
  std::vector<Complex> between_;  // kept, so that its pages are touched once
  std::array<std::vector<Complex>, Exchange::kSlots> leaving_, coming_;
  std::array<std::vector<polder::Part>, Exchange::kSlots> sent_, received_;
  Times times_;
};

}  // namespace fft
