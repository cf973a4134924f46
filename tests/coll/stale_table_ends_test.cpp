// Tables of rows that end at some members while others go on, and calls after a failure.
#include "coll/in_virtual_time.hpp"
#include "core/ranks.hpp"

#include <polder/stale_table.hpp>

#include <memory>
#include <vector>

namespace polder::test {
namespace {

class StaleTableEnds : public InVirtualTime {};
INSTANTIATE_TEST_SUITE_P(Devices, StaleTableEnds, every_device());

std::unique_ptr<StaleTable> table_of_doubles(Runtime& rt, std::size_t rows, unsigned cells = 4) {
  auto made = StaleTable::create(
      rt.world(),
      {.rows = rows, .row = *reduction(Reduction::sum, DataType::float64, 4), .cell_bytes = 0, .cells = cells},
      kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}

// Rank 1 has waited for ten seconds, and has given its memory back.
TEST_P(StaleTableEnds, WhoIsGoneAfterTheEndIsNamedInEachCall) {
  constexpr std::uint64_t kAny = 1'000;
  for (const bool reads : {true, false}) {
    Simulation simulation(2, options());
    run_ranks(simulation, [&](Runtime& rt) {
      auto table = table_of_doubles(rt, 100);
      std::vector<double> row(4, 1);
      if (rt.rank() == 0) {
        simulation.sleep(30'000'000'000);
        Status status;
        if (reads) {
          status = table->read(1, row.data(), kAny, 20s).status();
        } else {
          for (std::uint64_t i = 1; i < 100; i += 2) EXPECT_TRUE(ok(table->update(i, row.data())));
          status = table->tick(20s);
          if (status.ok()) status = table->flush(20s);
        }
        EXPECT_TRUE(fails(status, Code::peer_failed, "rank 1")) << reads;
      } else {
        table.reset();
        simulation.sleep(30'000'000'000);
      }
    });
  }
}

// A tick that has failed is not one that is to be called again.
TEST_P(StaleTableEnds, AfterAFailureNoCallIsBusy) {
  Simulation simulation(2, options());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto table = table_of_doubles(rt, 100, 2);
    const std::vector<double> step(4, 1);
    if (rt.rank() == 1) {
      simulation.sleep(10'000'000);
      return simulation.kill(1);
    }
    Status status;
    for (int tick = 0; status.ok() && tick < 100; ++tick) {
      for (std::uint64_t row = 1; row < 100; row += 2) ASSERT_TRUE(ok(table->update(row, step.data())));
      status = table->tick(kPatience);
    }
    ASSERT_TRUE(fails(status, Code::peer_failed, "rank 1"));
    EXPECT_TRUE(fails(table->update(1, step.data()), Code::peer_failed, "rank 1"));
    EXPECT_TRUE(fails(table->write(1, step.data()), Code::peer_failed, "rank 1"));
    EXPECT_TRUE(fails(table->prefetch({}, 0), Code::peer_failed, "rank 1"));
  })));
}

}  // namespace
}  // namespace polder::test
