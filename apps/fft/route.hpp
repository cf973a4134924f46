// Which lines of a plane go to whom, and where they lie there: the same for Polder and for MPI.
#pragma once

#include "share.hpp"

#include <cstdint>

namespace fft {

// Rows of a plane, in elements: from where the plane begins at the sender, to places from where the memory of the receiver begins.
struct Rows {
  std::uint64_t from = 0, from_pitch = 0;
  std::uint64_t to = 0, to_pitch = 0;
  std::uint64_t length = 0, count = 0;
  std::uint64_t elements() const { return length * count; }
};

// Within one process.
void copy(const Rows& rows, const Complex* from, Complex* to);

// Planes [y][z] of a member, by its own numbers of x.
struct PlaneRange {
  std::uint64_t begin = 0, count = 0;
};

class Route {
 public:
  // Between the ranks of a row: from how the field lies at first to how it lies in between. y is put together, z cut.
  static Route in_row(const Share& share, unsigned pieces) { return {share, pieces, true}; }
  // Between the ranks of a column: to how it lies at the end. x is put together, y cut.
  static Route in_column(const Share& share, unsigned pieces) { return {share, pieces, false}; }

  unsigned pieces() const { return pieces_; }
  std::uint64_t room_for_what_comes() const { return in_row_ ? share_.room_between() : share_.room_of_result(); }
  // Elements from a plane to the next at the sender.
  std::uint64_t plane() const { return in_row_ ? share_.plane_at_first() : share_.plane_between(); }
  // Members may have different numbers of planes; a piece is a part of each one's.
  PlaneRange planes(unsigned member, unsigned piece) const;
  // Of a plane of `from`, what goes to `to`.
  Rows rows(unsigned from, unsigned to, std::uint64_t plane) const;

 private:
  Route(const Share& share, unsigned pieces, bool in_row) : share_(share), pieces_(pieces), in_row_(in_row) {}

  Share share_;
  unsigned pieces_;
  bool in_row_;
};

}  // namespace fft
