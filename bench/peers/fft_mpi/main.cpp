// Transforms over MPI, to compare apps/fft with: FFTW's own (`fftw`, Open MPI's only, for which it is packaged), or apps/fft's
// with another exchange: MPI_Ialltoallv (`pieces`), or MPI_Alltoallv for a whole direction at once (`whole`). Prints one line
// of JSON. fft_mpi MODE X Y Z ROWS COLUMNS PIECES REPEAT
#include "field.hpp"
#include "sample_check.hpp"
#include "transform.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

class MpiExchange final : public fft::Exchange {
 public:
  MpiExchange(int colour, int key, bool blocking) : blocking_(blocking) {
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_rank(comm_, &rank_);
    for (Slot& slot : slots_)
      for (auto& list : slot.lists) list.resize(std::size_t(size_));
  }
  ~MpiExchange() override { MPI_Comm_free(&comm_); }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  unsigned size() const override { return unsigned(size_); }
  unsigned index() const override { return unsigned(rank_); }

  Status start(unsigned number, const Complex* send, std::span<const polder::Part> sent, Complex* receive,
               std::span<const polder::Part> received) override {
    Slot& slot = slots_[number];
    for (std::size_t member = 0; member < sent.size(); ++member) {
      slot.lists[0][member] = int(sent[member].size / sizeof(Complex));
      slot.lists[1][member] = int(sent[member].offset / sizeof(Complex));
      slot.lists[2][member] = int(received[member].size / sizeof(Complex));
      slot.lists[3][member] = int(received[member].offset / sizeof(Complex));
    }
    const auto& [out, out_at, in, in_at] = slot.lists;
    if (blocking_) {
      MPI_Alltoallv(send, out.data(), out_at.data(), MPI_C_DOUBLE_COMPLEX, receive, in.data(), in_at.data(),
                    MPI_C_DOUBLE_COMPLEX, comm_);
    } else {
      MPI_Ialltoallv(send, out.data(), out_at.data(), MPI_C_DOUBLE_COMPLEX, receive, in.data(), in_at.data(),
                     MPI_C_DOUBLE_COMPLEX, comm_, &slot.request);
    }
    return {};
  }
  void progress() override {
    int done = 0;
    for (Slot& slot : slots_)
      if (slot.request != MPI_REQUEST_NULL) MPI_Test(&slot.request, &done, MPI_STATUS_IGNORE);
  }
  Status finish(unsigned number) override {
    MPI_Wait(&slots_[number].request, MPI_STATUS_IGNORE);
    return {};
  }

 private:
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    std::array<std::vector<int>, 4> lists;
  };
  MPI_Comm comm_ = MPI_COMM_NULL;
  const bool blocking_;
  int size_ = 1, rank_ = 0;
  std::array<Slot, kSlots> slots_;
};

struct Task {
  std::string mode;
  fft::Extents extents{};
  fft::Grid grid;
  unsigned pieces = 1, repeat = 1;
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
  auto transform = fft::Transform::create(share, row, column, false,
                                          {.pieces = whole ? 1 : task.pieces, .effort = fft::Effort::estimate});
  if (!transform.ok()) give_up(std::string(transform.status().message()));
  std::vector<Complex> mine;
  Outcome outcome;
  outcome.seconds = shortest(
      task, [&] { static_cast<void>(field.read(share, mine)); },
      [&] {
        if (Status status = transform->run(mine); !status.ok()) give_up(std::string(status.message()));
      });
  outcome.error = largest(fft::sampled_error(field, share, mine, false, 1, 1));
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
  const fftw_plan plan = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                              FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
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
  // From [y][x][z] to [z][y][x], where both cut y alike.
  const fft::Share share(task.extents, task.grid, unsigned(rank));
  const bool alike =
      ptrdiff_t(share.own_result_y()) == y_count && ptrdiff_t(share.y_of_result.begin(share.row)) == y_begin;
  double error = 0;
  if (alike) {
    std::vector<Complex> mine(std::size_t(n[0] * y_count * n[2]));
    for (ptrdiff_t y = 0; y < y_count; ++y)
      for (ptrdiff_t x = 0; x < n[0]; ++x)
        for (ptrdiff_t z = 0; z < n[2]; ++z)
          std::memcpy(&mine[std::size_t((z * y_count + y) * n[0] + x)], data[(y * n[0] + x) * n[2] + z],
                      sizeof(Complex));
    error = fft::sampled_error(field, share, mine, false, 1, 1);
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
  if (argc != 9) give_up("wanted: MODE X Y Z ROWS COLUMNS PIECES REPEAT");
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::strtoull(argv[i + 2], nullptr, 10);
  for (const unsigned long long number : numbers)
    if (number == 0) give_up("a number is none, or 0");
  const Task task{argv[1],
                  {numbers[0], numbers[1], numbers[2]},
                  {unsigned(numbers[3]), unsigned(numbers[4])},
                  unsigned(numbers[5]),
                  unsigned(numbers[6])};
  if (task.mode != "fftw" && task.mode != "pieces" && task.mode != "whole") give_up("modes: fftw, pieces, whole");
  if (int(task.grid.rows * task.grid.columns) != size) give_up("the grid is not that of the ranks");
  const Outcome outcome = measured(task, rank);
  if (rank == 0) std::printf("{\"seconds\": %.9f, \"error\": %.3g}\n", outcome.seconds, outcome.error);
  MPI_Finalize();
  return 0;
}
