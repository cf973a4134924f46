// Lloyd's algorithm over MPI, as bench/kmeans.py starts it: POINTS.npy FROM.npy ITERATIONS. The search is apps/kmeans's own; sums
// are added up in double precision by MPI_Allreduce, nothing outlives a rank. Prints seconds and inertia.
#include "nearest.hpp"
#include "point_source.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

namespace {

using kmeans::Centroids;
using kmeans::Nearest;
using kmeans::Points;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "kmeans_mpi: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

Points read_points(const std::string& path, unsigned rank, unsigned ranks) {
  kmeans::SourceOptions options;
  options.path = path;
  const auto source = kmeans::PointSource::open(options);
  if (!source.ok()) give_up(source.status().to_string());
  auto points = source->read(rank, ranks);
  if (!points.ok()) give_up(points.status().to_string());
  return *std::move(points);
}

// Each centroid becomes the mean of its points, of all ranks; one without points stays.
void move_centroids(const Points& points, const Nearest& nearest, Centroids& centroids, std::vector<double>& sums) {
  const std::size_t dims = points.dims(), row = dims + 1;
  sums.assign(centroids.size() * row, 0);
  for (std::size_t point = 0; point < points.size(); ++point) {
    double* const of = &sums[std::size_t(nearest.label[point]) * row];
    for (std::size_t dim = 0; dim < dims; ++dim) of[dim] += points.at(point, dim);
    of[dims] += 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), int(sums.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (std::size_t k = 0; k < centroids.size(); ++k)
    if (const double* const of = &sums[k * row]; of[dims] > 0)
      for (std::size_t dim = 0; dim < dims; ++dim) centroids[k][dim] = of[dim] / of[dims];
}

double inertia_of(const Points& points, const Centroids& centroids, Nearest& nearest) {
  kmeans::find_nearest(points, centroids, nearest);
  const std::vector<double> own = kmeans::half_squares(points);
  double mine = 0, all = 0;
  for (std::size_t point = 0; point < points.size(); ++point)
    mine += std::max(0.0, 2 * (nearest.score[point] + own[point]));
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) give_up("kmeans_mpi POINTS.npy FROM.npy ITERATIONS");
  const int iterations = std::atoi(argv[3]);
  const Points points = read_points(argv[1], unsigned(rank), unsigned(ranks)), first = read_points(argv[2], 0, 1);
  Centroids centroids(first.size(), first.dims());
  for (std::size_t k = 0; k < first.size(); ++k) first.copy(k, centroids[k]);
  Nearest nearest(points);
  std::vector<double> sums;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    kmeans::find_nearest(points, centroids, nearest);
    move_centroids(points, nearest, centroids, sums);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - begin, inertia = inertia_of(points, centroids, nearest);
  if (rank == 0)
    std::printf("{\"seconds\": %.6f, \"iterations\": %d, \"inertia\": %.17g}\n", seconds, iterations, inertia);
  MPI_Finalize();
}
