#include "transform.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace fft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLine = 64 / sizeof(Complex);  // of the cache

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

unsigned fitting_pieces(const Extents& n, unsigned ranks) {
  constexpr std::uint64_t kLeastPiece = std::uint64_t{1} << 19;  // bytes
  constexpr std::uint64_t kMostPieces = 4;
  const std::uint64_t share = n[0] * n[1] * n[2] * sizeof(Complex) / ranks;
  return unsigned(std::clamp<std::uint64_t>(share / kLeastPiece, 1, kMostPieces));
}

Transform::Transform(const Share& share, Complex* field, Exchange& row, Exchange& column, bool inverse, Tuning tuning)
    : share_(share),
      inverse_(inverse),
      tuning_(tuning),
      row_(&row),
      column_(&column),
      in_row_(Route::in_row(share, tuning.pieces)),
      in_column_(Route::in_column(share, tuning.pieces)),
      field_(field) {}

Result<Transform> Transform::create(const Share& share, Complex* field, Exchange& row, Exchange& column, bool inverse,
                                    Tuning tuning) {
  Transform transform(share, field, row, column, inverse, tuning);
  Status status = transform.prepare();
  if (!status.ok()) return status;
  return transform;
}

std::uint64_t Transform::memory(const Share& share) {
  const std::uint64_t between = share.in_slabs() ? 0 : share.room_between();
  const std::uint64_t plane = std::max(share.plane_at_first(), share.plane_between()) + kLine;
  return sizeof(Complex) * (between + (share.ends_in_place() ? 0 : share.room_of_result()) + plane);
}

Status Transform::prepare() {
  Status status = prepare_memory();  // the others wait for this rank, whatever it finds
  if (status.ok()) status = prepare_plans();
  return status;
}

Status Transform::prepare_memory() {
  const auto prepare = [](Exchange& exchange, const Route& route, Complex*& place) -> Status {
    const auto made = exchange.prepare(route);
    if (made.ok()) place = *made;
    return made.status();
  };
  between_ = field_;
  Status status = share_.in_slabs() ? Status() : prepare(*row_, in_row_, between_);
  result_ = between_;
  const Status last = share_.ends_in_place() ? Status() : prepare(*column_, in_column_, result_);
  if (status.ok()) status = last;
  if (!status.ok()) return status;
  cached_.resize(std::max(share_.plane_at_first(), share_.plane_between()) + kLine);
  plane_ = cached_.data() + (kLine - reinterpret_cast<std::uintptr_t>(cached_.data()) / sizeof(Complex) % kLine);
  return {};
}

// Slabs have lines along y and z in the same planes from the beginning, and these are transformed together.
Status Transform::prepare_plans() {
  const auto plan = [this](std::optional<Planes>& planes, const Plane& plane) -> Status {
    auto made = Planes::create(plane, inverse_, tuning_.effort);
    if (!made.ok()) return made.status();
    planes.emplace(*std::move(made));
    return {};
  };
  const auto& [x, y, z] = share_.extents;
  const std::uint64_t own_z = share_.own_z(), pitch = pitch_of(z), own_pitch = pitch_of(own_z);
  const bool slabs = share_.in_slabs(), last_stays = share_.ends_in_place() || !column_->takes_at_once();
  Status status = slabs ? plan(first_, {share_.own_y(), z, pitch, Direction::both, last_stays})
                        : plan(first_, {share_.own_y(), z, pitch, Direction::along, !row_->takes_at_once()});
  if (status.ok() && !slabs) status = plan(second_, {y, own_z, own_pitch, Direction::across, last_stays});
  if (status.ok()) status = plan(last_, {x, own_z, share_.line_of_result(0, 1), Direction::across});
  return status;
}

Status Transform::run(const std::function<void(unsigned)>& told) {
  const Clock::time_point start = Clock::now();
  times_ = {};
  done_ = 0;
  told_ = &told;
  Status status = for_each_exchange(&Exchange::open);
  if (status.ok()) status = share_.in_slabs() ? run_slabs() : run_pencils();
  if (status.ok()) status = transform_x();
  if (status.ok()) status = for_each_exchange(&Exchange::close);
  times_.computing = seconds_since(start) - times_.waiting;
  return status;
}

Status Transform::for_each_exchange(Status (Exchange::*call)()) {
  Status status;
  if (!share_.in_slabs()) status = (row_->*call)();
  if (status.ok() && !share_.ends_in_place()) status = (column_->*call)();
  return status;
}

Status Transform::run_slabs() {
  Status status;
  for (unsigned piece = 0; status.ok() && piece < tuning_.pieces; ++piece) status = send_first(piece);
  return status;
}

// What has come is sent on while there is something else to do, too; nobody waits before all of its own is on its way.
Status Transform::run_pencils() {
  unsigned sent_on = 0;
  for (unsigned piece = 0; piece < tuning_.pieces; ++piece) {
    Status status = send_first(piece);
    while (status.ok() && sent_on < piece) {
      const Result<bool> come = row_->has_come(sent_on);
      if (!come.ok()) return come.status();
      if (!*come) break;
      status = send_on(sent_on++);
    }
    if (!status.ok()) return status;
  }
  Status status;
  while (status.ok() && sent_on < tuning_.pieces) status = send_on(sent_on++);
  return status;
}

Status Transform::send_first(unsigned piece) {
  if (!share_.in_slabs()) return send(*row_, in_row_, *first_, field_, piece);
  return send_last(*first_, field_, piece);
}

Status Transform::send_on(unsigned piece) {
  Status status = await(*row_, piece);
  return status.ok() ? send_last(*second_, between_, piece) : status;
}

Status Transform::send_last(const Planes& planes, Complex* memory, unsigned piece) {
  if (!share_.ends_in_place()) return send(*column_, in_column_, planes, memory, piece);
  const PlaneRange range = in_column_.planes(0, piece);
  for (std::uint64_t number = range.begin; number < range.begin + range.count; ++number) {
    Complex* const plane = memory + number * in_column_.plane();
    planes.transform(plane, plane);
  }
  tell();
  return {};
}

Status Transform::send(Exchange& exchange, const Route& route, const Planes& planes, Complex* memory, unsigned piece) {
  const PlaneRange range = route.planes(exchange.index(), piece);
  Status status;
  for (std::uint64_t number = range.begin; status.ok() && number < range.begin + range.count; ++number) {
    Complex* const plane = memory + number * route.plane();
    Complex* const transformed = exchange.takes_at_once() ? plane_ : plane;
    planes.transform(plane, transformed);
    status = put(exchange, route, transformed, number);
  }
  if (status.ok()) status = exchange.send(piece);
  tell();
  return status;
}

// Beginning with the member above this one, so that not all write to the same one at a time.
Status Transform::put(Exchange& exchange, const Route& route, const Complex* plane, std::uint64_t number) {
  const unsigned me = exchange.index(), members = exchange.size();
  Status status;
  for (unsigned distance = 1; status.ok() && distance <= members; ++distance) {
    const unsigned member = (me + distance) % members;
    status = exchange.put(member, plane, route.rows(me, member, number));
  }
  return status;
}

Status Transform::await(Exchange& exchange, unsigned piece) {
  const Clock::time_point start = Clock::now();
  Status status = exchange.await(piece);
  times_.waiting += seconds_since(start);
  return status;
}

// Planes [x][z], each of which needs something of everybody.
Status Transform::transform_x() {
  for (unsigned piece = 0; !share_.ends_in_place() && piece < tuning_.pieces; ++piece)
    if (Status status = await(*column_, piece); !status.ok()) return status;
  const Split planes{share_.own_result_y(), tuning_.pieces};
  for (unsigned piece = 0; piece < tuning_.pieces; ++piece) {
    for (std::uint64_t plane = planes.begin(piece); plane < planes.begin(piece + 1); ++plane) {
      Complex* const place = result_ + share_.line_of_result(plane, 0);
      last_->transform(place, place);
      if (inverse_) divide(plane);
    }
    tell();
  }
  return {};
}

void Transform::divide(std::uint64_t plane) {
  const double factor = 1 / (double(share_.extents[0]) * double(share_.extents[1]) * double(share_.extents[2]));
  for (std::uint64_t x = 0; x < share_.extents[0]; ++x)
    for (Complex& element : std::span(result_ + share_.line_of_result(plane, x), share_.own_z())) element *= factor;
}

void Transform::tell() {
  ++done_;
  if (*told_) (*told_)(done_);
}

}  // namespace fft
