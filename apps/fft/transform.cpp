#include "transform.hpp"

#include "transpose.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fft {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Elements of the largest piece of `places` with `each` elements at a place.
std::uint64_t largest_piece(std::uint64_t places, std::uint64_t each, unsigned pieces) {
  return Split{places, pieces}.most() * each;
}

std::uint64_t largest_of_pencils(const Share& share, const Tuning& tuning) {
  const std::uint64_t own_x = share.own_x(), own_z = share.own_z(), y = share.extents[1];
  return std::max({largest_piece(own_x, share.own_y() * share.extents[2], tuning.pieces),
                   largest_piece(own_x, y * own_z, tuning.pieces), largest_piece(own_z, own_x * y, tuning.pieces),
                   largest_piece(own_z, share.extents[0] * share.own_result_y(), tuning.pieces)});
}

std::uint64_t largest_of_slabs(const Share& share, const Tuning& tuning) {
  const std::uint64_t y = share.extents[1], z = share.extents[2];
  std::uint64_t coming = 0;
  for (unsigned member = 0; member < share.x.parts; ++member)
    coming += largest_piece(share.x.count(member), share.own_result_y() * z, tuning.pieces);
  return std::max(coming, largest_piece(share.own_x(), y * z, tuning.pieces));
}

}  // namespace

unsigned fitting_pieces(const Extents& n, unsigned ranks) {
  constexpr std::uint64_t kLeastPiece = std::uint64_t{1} << 19;  // bytes
  constexpr unsigned kMostPieces = Exchange::kSlots;
  const std::uint64_t share = n[0] * n[1] * n[2] * sizeof(Complex) / ranks;
  return unsigned(std::clamp<std::uint64_t>(share / kLeastPiece, 1, kMostPieces));
}

Share::Share(const Extents& n, const Grid& grid, unsigned rank)
    : extents(n),
      row(rank / grid.columns),
      column(rank % grid.columns),
      x{n[0], grid.rows},
      y{n[1], grid.columns},
      z{n[2], grid.columns},
      y_of_result{n[1], grid.rows} {}

Transform::Transform(const Share& share, Exchange& row, Exchange& column, Lines x, Lines y, Lines z, Lines planes,
                     Tuning tuning)
    : share_(share),
      row_(&row),
      column_(&column),
      x_(std::move(x)),
      y_(std::move(y)),
      z_(std::move(z)),
      planes_(std::move(planes)),
      tuning_(tuning) {}

Result<Transform> Transform::create(const Share& share, Exchange& row, Exchange& column, bool inverse, Tuning tuning) {
  auto x = Lines::create(share.extents[0], inverse, tuning.effort);
  if (!x.ok()) return x.status();
  auto y = Lines::create(share.extents[1], inverse, tuning.effort);
  if (!y.ok()) return y.status();
  auto z = Lines::create(share.extents[2], inverse, tuning.effort);
  if (!z.ok()) return z.status();
  auto planes = Lines::create_planes(share.extents[1], share.extents[2], inverse, tuning.effort);
  if (!planes.ok()) return planes.status();
  Transform transform(share, row, column, *std::move(x), *std::move(y), *std::move(z), *std::move(planes), tuning);
  transform.inverse_ = inverse;
  return transform;
}

std::uint64_t Transform::memory(const Share& share, const Tuning& tuning) {
  const std::uint64_t most = share.in_slabs() ? largest_of_slabs(share, tuning) : largest_of_pencils(share, tuning);
  const std::uint64_t second =
      std::max({share.elements_at_first(), share.elements_between(), share.elements_of_result()});
  return sizeof(Complex) * (second + 2 * Exchange::kSlots * most);
}

Status Transform::run(std::vector<Complex>& field, const std::function<void(unsigned)>& told) {
  times_ = {};
  Status status = share_.in_slabs() ? run_slabs(field, told) : run_pencils(field, told);
  if (status.ok() && inverse_) {
    const double all = double(share_.extents[0]) * double(share_.extents[1]) * double(share_.extents[2]);
    for (Complex& element : field) element *= 1 / all;
  }
  return status;
}

Status Transform::run_pencils(std::vector<Complex>& field, const std::function<void(unsigned)>& told) {
  between_.resize(share_.elements_between());
  Status status = travel(first_leg(field, between_), told, 0);
  if (!status.ok()) return status;
  field.resize(share_.elements_of_result());
  return travel(second_leg(between_, field), told, tuning_.pieces);
}

// [x][y][z] to [z][x][y], between the ranks of a row: y is put together, z cut.
Transform::Leg Transform::first_leg(std::vector<Complex>& from, std::vector<Complex>& to) {
  const std::uint64_t rows = share_.own_y(), z = share_.extents[2], y = share_.extents[1], x = share_.own_x();
  Leg leg;
  leg.exchange = row_;
  leg.places = x;
  leg.before = [=, this, &from](Piece piece) {
    return z_.transform(from.data() + piece.begin * rows * z, piece.count * rows);
  };
  leg.after = [](Piece) { return Status(); };
  leg.leaving = [=, this](Piece piece, unsigned member) { return piece.count * rows * share_.z.count(member); };
  leg.coming = [=, this](Piece piece, unsigned member) {
    return piece.count * share_.y.count(member) * share_.own_z();
  };
  leg.own = [=, this, &from](Piece piece) {
    return from.data() + piece.begin * rows * z + share_.z.begin(share_.column);
  };
  leg.width_of_packed = share_.own_z();
  leg.width_of_own = z;
  leg.pack = [=, this, &from](Piece piece, unsigned member, Complex* out) {
    const std::uint64_t begin = share_.z.begin(member), count = share_.z.count(member);
    const Complex* line = from.data() + piece.begin * rows * z + begin;
    for (std::uint64_t i = 0; i < piece.count * rows; ++i, line += z) out = std::copy_n(line, count, out);
  };
  leg.unpack = [=, this, &to](Piece piece, unsigned member, const Complex* in, std::uint64_t width) {
    const std::uint64_t begin = share_.y.begin(member), count = share_.y.count(member), own = share_.own_z();
    for (std::uint64_t i = piece.begin; i < piece.begin + piece.count; ++i, in += count * width)
      transpose(in, width, count, own, to.data() + i * y + begin, x * y);
  };
  return leg;
}

// [z][x][y] to [z][y][x], between the ranks of a column: x is put together, y cut.
Transform::Leg Transform::second_leg(std::vector<Complex>& from, std::vector<Complex>& to) {
  const std::uint64_t x = share_.extents[0], y = share_.extents[1], own_x = share_.own_x();
  const std::uint64_t own_y = share_.own_result_y();
  Leg leg;
  leg.exchange = column_;
  leg.places = share_.own_z();
  leg.before = [=, this, &from](Piece piece) {
    return y_.transform(from.data() + piece.begin * own_x * y, piece.count * own_x);
  };
  leg.after = [=, this, &to](Piece piece) {
    return x_.transform(to.data() + piece.begin * own_y * x, piece.count * own_y);
  };
  leg.leaving = [=, this](Piece piece, unsigned member) {
    return piece.count * own_x * share_.y_of_result.count(member);
  };
  leg.coming = [=, this](Piece piece, unsigned member) { return piece.count * share_.x.count(member) * own_y; };
  leg.own = [=, this, &from](Piece piece) {
    return from.data() + piece.begin * own_x * y + share_.y_of_result.begin(share_.row);
  };
  leg.width_of_packed = own_y;
  leg.width_of_own = y;
  leg.pack = [=, this, &from](Piece piece, unsigned member, Complex* out) {
    const std::uint64_t begin = share_.y_of_result.begin(member), count = share_.y_of_result.count(member);
    const Complex* line = from.data() + piece.begin * own_x * y + begin;
    for (std::uint64_t i = 0; i < piece.count * own_x; ++i, line += y) out = std::copy_n(line, count, out);
  };
  leg.unpack = [=, this, &to](Piece piece, unsigned member, const Complex* in, std::uint64_t width) {
    const std::uint64_t begin = share_.x.begin(member), count = share_.x.count(member);
    for (std::uint64_t k = piece.begin; k < piece.begin + piece.count; ++k, in += count * width)
      transpose(in, width, count, own_y, to.data() + k * own_y * x + begin, x);
  };
  return leg;
}

Transform::Piece Transform::piece_of(const Leg& leg, unsigned number) const {
  const Split cut{leg.places, tuning_.pieces};
  return {number, cut.begin(number), cut.count(number)};
}

// All members of an exchange have as many places, so they cut them alike.
Status Transform::travel(const Leg& leg, const std::function<void(unsigned)>& told, unsigned done) {
  unsigned taken = 0;
  const auto take_next = [&] {
    Status status = take(leg, piece_of(leg, taken), taken % Exchange::kSlots);
    ++taken;
    if (told) told(done + taken);
    return status;
  };
  for (unsigned number = 0; number < tuning_.pieces; ++number) {
    const Piece piece = piece_of(leg, number);
    const Clock::time_point start = Clock::now();
    Status status = leg.before(piece);
    times_.computing += seconds_since(start);
    if (status.ok() && number >= Exchange::kSlots) status = take_next();
    if (status.ok()) status = send(leg, piece, number % Exchange::kSlots);
    if (!status.ok()) return status;
    leg.exchange->progress();
  }
  while (taken < tuning_.pieces)
    if (Status status = take_next(); !status.ok()) return status;
  return {};
}

Status Transform::send(const Leg& leg, Piece piece, unsigned slot) {
  const Clock::time_point start = Clock::now();
  const unsigned members = leg.exchange->size();
  auto &sent = sent_[slot], &received = received_[slot];
  sent.assign(members, {});
  received.assign(members, {});
  std::uint64_t out = 0, in = 0;
  for (unsigned member = 0; member < members; ++member) {
    if (member == leg.exchange->index()) continue;  // its block is taken from where it lies
    sent[member] = {out * sizeof(Complex), leg.leaving(piece, member) * sizeof(Complex)};
    received[member] = {in * sizeof(Complex), leg.coming(piece, member) * sizeof(Complex)};
    out += leg.leaving(piece, member);
    in += leg.coming(piece, member);
  }
  if (members == 1) return {};
  leaving_[slot].resize(out);
  for (unsigned member = 0; member < members; ++member)
    if (member != leg.exchange->index())
      leg.pack(piece, member, leaving_[slot].data() + sent[member].offset / sizeof(Complex));
  times_.computing += seconds_since(start);
  coming_[slot].resize(in);
  return leg.exchange->start(slot, leaving_[slot].data(), sent, coming_[slot].data(), received);
}

Status Transform::take(const Leg& leg, Piece piece, unsigned slot) {
  const unsigned members = leg.exchange->size(), own = leg.exchange->index();
  Clock::time_point start = Clock::now();
  leg.unpack(piece, own, leg.own(piece), leg.width_of_own);
  times_.computing += seconds_since(start);
  start = Clock::now();
  if (members > 1)
    if (Status status = leg.exchange->finish(slot); !status.ok()) return status;
  times_.waiting += seconds_since(start);
  start = Clock::now();
  for (unsigned member = 0; member < members; ++member)
    if (member != own)
      leg.unpack(piece, member, coming_[slot].data() + received_[slot][member].offset / sizeof(Complex),
                 leg.width_of_packed);
  Status status = leg.after(piece);
  times_.computing += seconds_since(start);
  leg.exchange->progress();
  return status;
}

}  // namespace fft
