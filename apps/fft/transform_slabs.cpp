// The way of slabs: from [x][y][z] to [z][y][x] in one exchange.
#include "transform.hpp"
#include "transpose.hpp"

#include <algorithm>
#include <chrono>

namespace fft {

// x is put together, y cut. Members may have different numbers of planes; a piece is a part of each one's.
Transform::Leg Transform::slab_leg(std::vector<Complex>& from, std::vector<Complex>& to) {
  const std::uint64_t x = share_.extents[0], y = share_.extents[1], z = share_.extents[2];
  const std::uint64_t own_y = share_.own_result_y();
  const auto planes_of = [=, this](unsigned member) { return Split{share_.x.count(member), tuning_.pieces}; };
  Leg leg;
  leg.exchange = column_;
  leg.places = share_.own_x();
  leg.before = [=, this, &from](Piece piece) {
    return planes_.transform(from.data() + piece.begin * y * z, piece.count);
  };
  leg.after = [](Piece) { return Status(); };
  leg.leaving = [=, this](Piece piece, unsigned member) { return piece.count * share_.y_of_result.count(member) * z; };
  leg.coming = [=](Piece piece, unsigned member) { return planes_of(member).count(piece.number) * own_y * z; };
  leg.own = [=, this, &from](Piece piece) {
    return from.data() + (piece.begin * y + share_.y_of_result.begin(share_.row)) * z;
  };
  leg.width_of_packed = own_y * z;
  leg.width_of_own = y * z;
  leg.pack = [=, this, &from](Piece piece, unsigned member, Complex* out) {
    const std::uint64_t begin = share_.y_of_result.begin(member), count = share_.y_of_result.count(member);
    for (std::uint64_t i = piece.begin; i < piece.begin + piece.count; ++i)
      out = std::copy_n(from.data() + (i * y + begin) * z, count * z, out);
  };
  leg.unpack = [=, this, &to](Piece piece, unsigned member, const Complex* in, std::uint64_t width) {
    const std::uint64_t count = planes_of(member).count(piece.number);
    Complex* const place = to.data() + share_.x.begin(member) + planes_of(member).begin(piece.number);
    for (std::uint64_t j = 0; j < own_y; ++j) transpose(in + j * z, width, count, z, place + j * x, own_y * x);
  };
  return leg;
}

Status Transform::run_slabs(std::vector<Complex>& field, const std::function<void(unsigned)>& told) {
  between_.resize(share_.elements_of_result());
  Status status = travel(slab_leg(field, between_), told, 0);
  if (!status.ok()) return status;
  field.swap(between_);
  const auto start = std::chrono::steady_clock::now();
  const Split lines{share_.own_result_y() * share_.own_z(), tuning_.pieces};
  for (unsigned piece = 0; status.ok() && piece < tuning_.pieces; ++piece) {
    status = x_.transform(field.data() + lines.begin(piece) * share_.extents[0], lines.count(piece));
    if (told) told(tuning_.pieces + piece + 1);
  }
  times_.computing += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return status;
}

}  // namespace fft
