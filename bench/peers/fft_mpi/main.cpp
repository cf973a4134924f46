// Transforms over MPI, to compare apps/fft with: FFTW's own (`fftw`, Open MPI's only, for which it is packaged), or apps/fft's
// with another exchange: MPI_Ialltoallv (`pieces`), or MPI_Alltoallv for a whole direction at once (`whole`). Prints one line
// of JSON. fft_mpi MODE EFFORT X Y Z ROWS COLUMNS PIECES REPEAT
#include "field.hpp"
#include "sample_check.hpp"
#include "transform.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#ifdef FFT_HAS_FFTW_MPI
#include <fftw3-mpi.h>
#endif

namespace {

using fft::Complex;
using fft::Status;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "fft_mpi: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// Zeroed, aligned to lines of the cache.
class Memory {
 public:
  Memory() : elements_(nullptr, std::free) {}
  explicit Memory(std::uint64_t elements) : Memory() {
    constexpr std::size_t kPage = 4096;
    const std::size_t bytes = (elements * sizeof(Complex) + kPage) / kPage * kPage;
    elements_.reset(static_cast<Complex*>(std::aligned_alloc(kPage, bytes)));
    if (elements_ == nullptr) give_up("no memory");
    std::memset(static_cast<void*>(elements_.get()), 0, bytes);
  }
  Complex* elements() const { return elements_.get(); }

 private:
  std::unique_ptr<Complex[], void (*)(void*)> elements_;
};

class MpiExchange final : public fft::Exchange {
 public:
  MpiExchange(int colour, int key, bool blocking) : blocking_(blocking) {
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_rank(comm_, &rank_);
  }
  ~MpiExchange() override { MPI_Comm_free(&comm_); }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  unsigned size() const override { return unsigned(size_); }
  unsigned index() const override { return unsigned(rank_); }

  fft::Result<Complex*> prepare(const fft::Route& route) override {
    route_.emplace(route);
    pieces_.resize(route.pieces());
    for (unsigned number = 0; number < route.pieces(); ++number) lay_out(pieces_[number], number);
    memory_ = Memory(route.room_for_what_comes());
    return memory_.elements();
  }
  bool takes_at_once() const override { return true; }
  Status open() override { return {}; }
  Status put(unsigned member, const Complex* plane, const fft::Rows& rows) override {
    if (member == index()) {
      fft::copy(rows, plane, memory_.elements());
      return {};
    }
    Piece& piece = pieces_[sending_];
    const fft::Rows packed{rows.from, rows.from_pitch, piece.packed[member], rows.length, rows.length, rows.count};
    fft::copy(packed, plane, piece.leaving.data());
    piece.packed[member] += rows.elements();
    if (!blocking_) progress();
    return {};
  }
  Status send(unsigned number) override {
    Piece& piece = pieces_[number];
    const auto [out, out_at, in, in_at] = piece.lists();
    if (blocking_)
      MPI_Alltoallv(piece.leaving.data(), out, out_at, MPI_C_DOUBLE_COMPLEX, piece.coming.data(), in, in_at,
                    MPI_C_DOUBLE_COMPLEX, comm_);
    else
      MPI_Ialltoallv(piece.leaving.data(), out, out_at, MPI_C_DOUBLE_COMPLEX, piece.coming.data(), in, in_at,
                     MPI_C_DOUBLE_COMPLEX, comm_, &piece.request);
    piece.packed.assign(piece.sent_at.begin(), piece.sent_at.end());
    sending_ = (number + 1) % unsigned(pieces_.size());
    return {};
  }
  fft::Result<bool> has_come(unsigned number) override {
    int done = 1;
    MPI_Test(&pieces_[number].request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  Status await(unsigned number) override {
    Piece& piece = pieces_[number];
    MPI_Wait(&piece.request, MPI_STATUS_IGNORE);
    for (unsigned member = 0; member < size(); ++member) {
      if (member == index()) continue;
      std::uint64_t at = std::uint64_t(piece.received_at[member]);
      const fft::PlaneRange range = route_->planes(member, number);
      for (std::uint64_t plane = range.begin; plane < range.begin + range.count; ++plane) {
        const fft::Rows rows = route_->rows(member, index(), plane);
        fft::copy({at, rows.length, rows.to, rows.to_pitch, rows.length, rows.count}, piece.coming.data(),
                  memory_.elements());
        at += rows.elements();
      }
    }
    return {};
  }
  Status close() override { return {}; }

 private:
  struct Piece {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<int> sent, sent_at, received, received_at;
    std::vector<std::uint64_t> packed;  // where the next rows for each member go
    std::vector<Complex> leaving, coming;
    std::array<const int*, 4> lists() const {
      return {sent.data(), sent_at.data(), received.data(), received_at.data()};
    }
  };

  void lay_out(Piece& piece, unsigned number) const {
    const auto elements = [&](unsigned from, unsigned to) {
      std::uint64_t all = 0;
      const fft::PlaneRange range = route_->planes(from, number);
      for (std::uint64_t plane = range.begin; plane < range.begin + range.count; ++plane)
        all += route_->rows(from, to, plane).elements();
      return from == to ? 0 : int(all);
    };
    int out = 0, in = 0;
    for (unsigned member = 0; member < size(); ++member) {
      piece.sent.push_back(elements(index(), member)), piece.sent_at.push_back(out), out += piece.sent.back();
      piece.received.push_back(elements(member, index())), piece.received_at.push_back(in), in += piece.received.back();
    }
    piece.packed.assign(piece.sent_at.begin(), piece.sent_at.end());
    piece.leaving.resize(std::size_t(out)), piece.coming.resize(std::size_t(in));
  }
  void progress() {
    int done = 0;
    for (Piece& piece : pieces_)
      if (piece.request != MPI_REQUEST_NULL) MPI_Test(&piece.request, &done, MPI_STATUS_IGNORE);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  const bool blocking_;
  int size_ = 1, rank_ = 0;
  std::optional<fft::Route> route_;
  unsigned sending_ = 0;
  std::vector<Piece> pieces_;
  Memory memory_;
};

struct Task {
  std::string mode;
  fft::Extents extents{};
  fft::Grid grid;
  unsigned pieces = 1, repeat = 1;
  fft::Effort effort = fft::Effort::estimate;
};

struct Outcome {
  double seconds = 0, error = 0;
};

double largest(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

// The shortest of all turns, as the slowest rank has it.
template <class Prepare, class Run>
double shortest(const Task& task, Prepare&& prepare, Run&& run) {
  double best = 0;
  for (unsigned turn = 0; turn < task.repeat; ++turn) {
    prepare();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    run();
    const double seconds = largest(MPI_Wtime() - start);
    if (turn == 0 || seconds < best) best = seconds;
  }
  return best;
}

Outcome by_pieces(const Task& task, int rank) {
  const fft::Field field = fft::Field::made_up(task.extents, 1);
  const fft::Share share(task.extents, task.grid, unsigned(rank));
  const bool whole = task.mode == "whole";
  MpiExchange row(int(share.row), int(share.column), whole), column(int(share.column), int(share.row), whole);
  const Memory memory(share.room_at_first());
  auto transform = fft::Transform::create(share, memory.elements(), row, column, false,
                                          {.pieces = whole ? 1 : task.pieces, .effort = task.effort});
  if (!transform.ok()) give_up(std::string(transform.status().message()));
  Outcome outcome;
  outcome.seconds = shortest(
      task, [&] { static_cast<void>(field.read(share, memory.elements())); },
      [&] {
        if (Status status = transform->run(); !status.ok()) give_up(std::string(status.message()));
      });
  outcome.error = largest(fft::sampled_error(field, share, transform->result(), false, 1, 1));
  return outcome;
}

#ifdef FFT_HAS_FFTW_MPI
// In slabs, transposed output: as apps/fft leaves it, one exchange.
Outcome by_fftw(const Task& task, int rank) {
  fftw_mpi_init();
  std::array<ptrdiff_t, 3> n{};
  for (std::size_t i = 0; i < 3; ++i) n[i] = ptrdiff_t(task.extents[i]);
  ptrdiff_t x_count = 0, x_begin = 0, y_count = 0, y_begin = 0;
  const ptrdiff_t room =
      fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], MPI_COMM_WORLD, &x_count, &x_begin, &y_count, &y_begin);
  fftw_complex* const data = fftw_alloc_complex(std::size_t(room));
  const fftw_plan plan = fftw_mpi_plan_dft_3d(
      n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_FORWARD,
      (task.effort == fft::Effort::measure ? FFTW_MEASURE : FFTW_ESTIMATE) | FFTW_MPI_TRANSPOSED_OUT);
  if (plan == nullptr) give_up("FFTW has no plan");
  const fft::Field field = fft::Field::made_up(task.extents, 1);
  const std::uint64_t own = std::uint64_t(x_count * n[1] * n[2]), begin = std::uint64_t(x_begin * n[1] * n[2]);
  Outcome outcome;
  outcome.seconds = shortest(
      task,
      [&] {
        for (std::uint64_t i = 0; i < own; ++i) {
          const Complex element = field.at(begin + i);
          std::memcpy(data[i], &element, sizeof element);
        }
      },
      [&] { fftw_execute(plan); });
  // [y][x][z] as apps/fft has it, without what that leaves between lines; where both cut y alike.
  const fft::Share share(task.extents, task.grid, unsigned(rank));
  const bool alike =
      ptrdiff_t(share.own_result_y()) == y_count && ptrdiff_t(share.y_of_result.begin(share.row)) == y_begin;
  double error = 0;
  if (alike) {
    std::vector<Complex> mine(share.room_of_result());
    for (ptrdiff_t y = 0; y < y_count; ++y)
      for (ptrdiff_t x = 0; x < n[0]; ++x)
        for (ptrdiff_t z = 0; z < n[2]; ++z)
          std::memcpy(&mine[share.line_of_result(std::uint64_t(y), std::uint64_t(x)) + std::uint64_t(z)],
                      data[(y * n[0] + x) * n[2] + z], sizeof(Complex));
    error = fft::sampled_error(field, share, mine.data(), false, 1, 1);
  }
  outcome.error = largest(error);
  fftw_destroy_plan(plan);
  fftw_free(data);
  return outcome;
}
#endif

Outcome measured(const Task& task, int rank) {
  if (task.mode != "fftw") return by_pieces(task, rank);
#ifdef FFT_HAS_FFTW_MPI
  return by_fftw(task, rank);
#else
  give_up("built without FFTW's MPI version");
#endif
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::array<unsigned long long, 7> numbers{};
  if (argc != 10) give_up("wanted: MODE EFFORT X Y Z ROWS COLUMNS PIECES REPEAT");
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::strtoull(argv[i + 3], nullptr, 10);
  for (const unsigned long long number : numbers)
    if (number == 0) give_up("a number is none, or 0");
  const Task task{argv[1],
                  {numbers[0], numbers[1], numbers[2]},
                  {unsigned(numbers[3]), unsigned(numbers[4])},
                  unsigned(numbers[5]),
                  unsigned(numbers[6]),
                  std::string(argv[2]) == "measure" ? fft::Effort::measure : fft::Effort::estimate};
  if (task.mode != "fftw" && task.mode != "pieces" && task.mode != "whole") give_up("modes: fftw, pieces, whole");
  if (int(task.grid.rows * task.grid.columns) != size) give_up("the grid is not that of the ranks");
  const Outcome outcome = measured(task, rank);
  if (rank == 0) std::printf("{\"seconds\": %.9f, \"error\": %.3g}\n", outcome.seconds, outcome.error);
  MPI_Finalize();
  return 0;
}
