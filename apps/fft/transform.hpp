// A three-dimensional transform whose field lies in slabs or pencils of many ranks (share.hpp).
//
// All works on planes, and moves lines along z:
//
//   lines along z of planes [y][z] are transformed; pencils: they go to those that are to have their part of z in this row
//   lines along y are transformed, across those planes; lines along z go to those that are to have their y in this column
//   lines along x are transformed, across planes [x][z]: the result
//
// What goes to a rank is put straight to where it belongs in that rank's memory, while the plane is in the cache: each element is
// copied once. After each piece of planes its receivers are told, so pieces are on their way while the next ones are
// computed; as in the report EPEEC D4.3, chapter 3.3, for Quantum ESPRESSO. Per rank: 2 (1 for slabs) exchanges of its share.
#pragma once

#include "exchange.hpp"
#include "planes.hpp"
#include "route.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fft {

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
  // `row` carries between the ranks of a row, `column` between those of a column; `field`: share.room_at_first() elements, aligned
  // to lines of the cache. All outlive the transform. Collective.
  static Result<Transform> create(const Share& share, Complex* field, Exchange& row, Exchange& column, bool inverse,
                                  Tuning tuning);

  // Bytes that a rank needs beside its field.
  static std::uint64_t memory(const Share& share);

  // The field is changed meanwhile, and may become the result; then result() has its transform, divided by the number of elements
  // if it is the inverse. `told` hears how many of steps() are done. Collective.
  Status run(const std::function<void(unsigned)>& told = {});
  unsigned steps() const { return (share_.in_slabs() ? 2 : 3) * tuning_.pieces; }

  // share.room_of_result() elements, until the next run.
  const Complex* result() const { return result_; }

  const Times& times() const { return times_; }

 private:
  Transform(const Share& share, Complex* field, Exchange& row, Exchange& column, bool inverse, Tuning tuning);

  Status prepare();
  Status prepare_memory();
  Status prepare_plans();
  Status for_each_exchange(Status (Exchange::*call)());
  Status run_slabs();
  Status run_pencils();
  Status send_first(unsigned piece);
  Status send_on(unsigned piece);
  Status send_last(const Planes& planes, Complex* memory, unsigned piece);
  // Planes are transformed, and their lines put to where they belong.
  Status send(Exchange& exchange, const Route& route, const Planes& planes, Complex* memory, unsigned piece);
  Status put(Exchange& exchange, const Route& route, const Complex* plane, std::uint64_t number);
  Status await(Exchange& exchange, unsigned piece);
  Status transform_x();
  void divide(std::uint64_t plane);
  void tell();

  Share share_;
  bool inverse_;
  Tuning tuning_;
  Exchange *row_, *column_;
  Route in_row_, in_column_;
  std::optional<Planes> first_, second_, last_;
  Complex *field_, *between_ = nullptr, *result_ = nullptr;
  std::vector<Complex> cached_;  // memory for a plane, and
  Complex* plane_ = nullptr;     // where it begins in there
  const std::function<void(unsigned)>* told_ = nullptr;
  unsigned done_ = 0;
  Times times_;
};

}  // namespace fft
