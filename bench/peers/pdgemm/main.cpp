// PDGEMM of ScaLAPACK, beside which apps/contract is measured: C = A B of square matrices of random numbers, block-cyclic over a
// grid of ranks as square as there is.
//
//   mpirun -n RANKS bench-pdgemm-NAME N BLOCK THREADS REPEAT
//
// Rank 0 prints one line: {"seconds": the shortest, "error": the largest relative error of some elements}
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* source, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* row_block, const int* column_block,
               const int* row_source, const int* column_source, const int* context, const int* leading, int* info);
void pdgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const double* alpha,
             const double* a, const int* ia, const int* ja, const int* descriptor_a, const double* b, const int* ib,
             const int* jb, const int* descriptor_b, const double* beta, double* c, const int* ic, const int* jc,
             const int* descriptor_c);
void openblas_set_num_threads(int threads);
}

namespace {

constexpr int kSamples = 16;

// The same at every rank: splitmix64 of seed and place.
double element(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t z = ((seed << 40) + place + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return double((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

struct Matrix {
  int n = 0, block = 0, process_rows = 0, process_columns = 0, row = 0, column = 0;
  int local_rows = 0, local_columns = 0;
  int descriptor[9] = {};
  std::vector<double> values;  // column-major

  Matrix(int size, int piece, int context) : n(size), block(piece) {
    constexpr int kZero = 0;
    Cblacs_gridinfo(context, &process_rows, &process_columns, &row, &column);
    local_rows = numroc_(&n, &block, &row, &kZero, &process_rows);
    local_columns = numroc_(&n, &block, &column, &kZero, &process_columns);
    const int leading = std::max(local_rows, 1);
    int info = 0;
    descinit_(descriptor, &n, &n, &block, &block, &kZero, &kZero, &context, &leading, &info);
    if (info != 0) std::fprintf(stderr, "bench-pdgemm: descinit says %d\n", info), MPI_Abort(MPI_COMM_WORLD, 1);
    values.resize(std::size_t(leading) * std::size_t(std::max(local_columns, 1)));
  }
  std::uint64_t row_of(int i) const {
    return std::uint64_t(i / block * process_rows + row) * unsigned(block) + unsigned(i % block);
  }
  std::uint64_t column_of(int j) const {
    return std::uint64_t(j / block * process_columns + column) * unsigned(block) + unsigned(j % block);
  }
  void fill(std::uint64_t seed) {
    for (int j = 0; j < local_columns; ++j)
      for (int i = 0; i < local_rows; ++i)
        values[std::size_t(j) * std::size_t(local_rows) + std::size_t(i)] =
            element(seed, row_of(i) * unsigned(n) + column_of(j));
  }
};

// Of elements of this rank, against sums made here.
double sampled_error(const Matrix& c) {
  double worst = 0;
  if (c.local_rows == 0 || c.local_columns == 0) return worst;
  for (int sample = 0; sample < kSamples; ++sample) {
    const int i = (sample * 7919) % c.local_rows, j = (sample * 104729) % c.local_columns;
    double sum = 0, scale = 0;
    for (unsigned k = 0; k < unsigned(c.n); ++k) {
      const double term =
          element(1, c.row_of(i) * unsigned(c.n) + k) * element(2, std::uint64_t(k) * unsigned(c.n) + c.column_of(j));
      sum += term;
      scale += std::abs(term);
    }
    worst =
        std::max(worst, std::abs(sum - c.values[std::size_t(j) * std::size_t(c.local_rows) + std::size_t(i)]) / scale);
  }
  return worst;
}

double seconds_of_product(const Matrix& a, const Matrix& b, Matrix& c) {
  constexpr double kFactor = 1, kNothing = 0;
  constexpr int kFirst = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  pdgemm_("N", "N", &c.n, &c.n, &c.n, &kFactor, a.values.data(), &kFirst, &kFirst, a.descriptor, b.values.data(),
          &kFirst, &kFirst, b.descriptor, &kNothing, c.values.data(), &kFirst, &kFirst, c.descriptor);
  MPI_Barrier(MPI_COMM_WORLD);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1, rank = 0, context = 0, rows = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto number = [&](int at) { return at < argc ? std::atoi(argv[at]) : 0; };
  const int n = number(1), block = number(2), threads = number(3), repeat = number(4);
  if (argc != 5 || n < 1 || block < 1 || threads < 1 || repeat < 1) {
    if (rank == 0) std::fputs("usage: bench-pdgemm-NAME N BLOCK THREADS REPEAT\n", stderr);
    MPI_Finalize();
    return 2;
  }
  openblas_set_num_threads(threads);
  for (int some = 1; some * some <= ranks; ++some)
    if (ranks % some == 0) rows = some;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, ranks / rows);
  double seconds = 0, error = 0, worst = 0;
  {
    Matrix a(n, block, context), b(n, block, context), c(n, block, context);
    a.fill(1);
    b.fill(2);
    for (int turn = 0; turn < repeat; ++turn) {
      const double one = seconds_of_product(a, b, c);
      if (turn == 0 || one < seconds) seconds = one;
    }
    error = sampled_error(c);
  }
  MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("{\"seconds\": %.9f, \"error\": %.3e}\n", seconds, worst);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return 0;
}
