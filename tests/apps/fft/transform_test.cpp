// The transform beside that of FFTW in one process: sizes that do not divide, grids of all kinds, pieces of all numbers.
#include "transform.hpp"

#include "field.hpp"
#include "group_exchange.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include <fftw3.h>

namespace fft {
namespace {

std::vector<Complex> whole(const Field& field) {
  std::vector<Complex> all(*elements_of(field.extents()));
  for (std::uint64_t index = 0; index < all.size(); ++index) all[index] = field.at(index);
  return all;
}

std::vector<Complex> by_one_process(const Field& field, bool inverse) {
  std::vector<Complex> all = whole(field);
  auto* const place = reinterpret_cast<fftw_complex*>(all.data());
  const Extents& n = field.extents();
  const fftw_plan plan = fftw_plan_dft_3d(int(n[0]), int(n[1]), int(n[2]), place, place,
                                          inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  if (inverse)
    for (Complex& element : all) element /= double(all.size());
  return all;
}

// How far a rank's result is off at most, in units of the root mean square.
double difference(const Share& share, const Complex* mine, const std::vector<Complex>& all) {
  double squares = 0, worst = 0;
  for (const Complex& element : all) squares += std::norm(element);
  const auto& [nx, ny, nz] = share.extents;
  const std::uint64_t y0 = share.y_of_result.begin(share.row), z0 = share.z.begin(share.column);
  for (std::uint64_t y = 0; y < share.own_result_y(); ++y)
    for (std::uint64_t x = 0; x < nx; ++x)
      for (std::uint64_t z = 0; z < share.own_z(); ++z)
        worst = std::max(worst, std::abs(mine[share.line_of_result(y, x) + z] - all[(x * ny + y0 + y) * nz + z0 + z]));
  return worst / std::sqrt(squares / double(all.size()));
}

struct Setting {
  Extents extents;
  Grid grid;
  Tuning tuning;
  bool inverse = false;
  polder::SimulatedDevice device = polder::SimulatedDevice::direct;
};

void expect_as_by_one_process(const Setting& setting) {
  const Field field = Field::made_up(setting.extents, 7);
  const std::vector<Complex> expected = by_one_process(field, setting.inverse);
  polder::Simulation simulation(setting.grid.rows * setting.grid.columns, {.device = setting.device});
  std::atomic<std::uint64_t> elements{0};
  const Status status = simulation.run([&](polder::Runtime& runtime) {
    const apps::Team team(runtime, 60);
    const Share share(setting.extents, setting.grid, team.rank());
    const auto row = GroupExchange::create(team, share.row, share.column);
    const auto column = GroupExchange::create(team, share.column, share.row);
    ASSERT_TRUE(row.ok() && column.ok());
    const auto memory = runtime.allocate_local(share.room_at_first() * sizeof(Complex));
    ASSERT_TRUE(memory.ok());
    auto* const mine = reinterpret_cast<Complex*>(memory->data());
    auto transform = Transform::create(share, mine, **row, **column, setting.inverse, setting.tuning);
    ASSERT_TRUE(transform.ok()) << transform.status().to_string();
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(field.read(share, mine).ok());
      unsigned steps = 0;
      const Status done = transform->run([&](unsigned step) { EXPECT_EQ(step, ++steps); });
      ASSERT_TRUE(done.ok()) << done.to_string();
      EXPECT_EQ(steps, transform->steps());
      EXPECT_LT(difference(share, transform->result(), expected), 1e-13)
          << text_of(setting.extents) << " " << setting.grid.columns;
      elements += share.own_result_y() * share.extents[0] * share.own_z();
    }
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(elements, 2 * expected.size()) << "every element has one owner";
}

TEST(Transform, SlabsAndPencilsOfAnySizes) {
  for (const bool inverse : {false, true})
    for (const Grid grid : {Grid{1, 1}, Grid{3, 1}, Grid{1, 3}, Grid{2, 3}})
      for (const Extents& extents : {Extents{8, 8, 8}, Extents{7, 5, 11}, Extents{1, 13, 2}, Extents{4, 1, 1}})
        expect_as_by_one_process({extents, grid, {.pieces = 3}, inverse});
}

TEST(Transform, PiecesOfAnyNumber) {
  for (const unsigned pieces : {1U, 2U, 4U, 5U, 40U})
    expect_as_by_one_process({{12, 10, 9}, {2, 2}, {.pieces = pieces}});
}

TEST(Transform, OverNetworks) {
  for (const auto device : {polder::SimulatedDevice::network, polder::SimulatedDevice::messages})
    for (const Grid grid : {Grid{4, 1}, Grid{2, 2}})
      expect_as_by_one_process({{10, 9, 8}, grid, {.pieces = 6}, false, device});
}

TEST(Transform, PlansThatWereMeasured) {
  expect_as_by_one_process({{8, 12, 10}, {2, 2}, {.pieces = 2, .effort = Effort::measure}});
}

TEST(Transform, ItsMemoryIsSaidBefore) {
  const std::uint64_t own = 64 * 64 * 64 / 4 * sizeof(Complex);
  const Share slabs({64, 64, 64}, {4, 1}, 0), pencils({64, 64, 64}, {2, 2}, 0);
  const std::uint64_t plane = 65 * 68 * sizeof(Complex);
  EXPECT_GE(Transform::memory(slabs), own / 64 * 68) << "a result; lines are a line of the cache longer";
  EXPECT_LE(Transform::memory(slabs), own / 64 * 68 + 2 * plane);
  EXPECT_GE(Transform::memory(pencils), 2 * own / 32 * 36) << "and what lies in between";
  EXPECT_LE(Transform::memory(pencils), 2 * own / 32 * 36 + 2 * plane);
  EXPECT_LE(Transform::memory(Share({64, 64, 64}, {1, 1}, 0)), plane) << "in place";
}

}  // namespace
}  // namespace fft
