// The table of rows: what slack allows, on every device; what is refused; what deaths do.
// tests/coll/stale_table_seeds_test.cpp checks its bound by the thousand.
#include "coll/in_virtual_time.hpp"
#include "coll/stale_rows.hpp"
#include "core/ranks.hpp"

#include <polder/stale_table.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace polder::test {
namespace {

constexpr std::uint64_t kAnySlack = ~std::uint64_t{0};
using Words = StaleRows::Words;

StaleRows rows_of(Rank ranks) {
  return {.members = ranks, .rows = 17, .count = 3, .seed = 16};
}
std::unique_ptr<StaleTable> make_table(Runtime& rt, const StaleTableSpec& spec) {
  auto made = StaleTable::create(rt.world(), spec, kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}
StaleTableSpec doubles(std::uint64_t rows, std::size_t count) {
  return {.rows = rows, .row = *reduction(Reduction::sum, DataType::float64, count)};
}

class StaleTableTest : public testing::TestWithParam<World> {
 protected:
  static void run(const std::function<void(Runtime&)>& body) {
    run_ranks(GetParam().ranks, GetParam().options(), body);
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, StaleTableTest, testing::ValuesIn(worlds({1, 2, 5})),
                         [](const auto& world) { return name_of(world.param); });

TEST_P(StaleTableTest, NoRowIsOlderThanSlackAllowsAndNothingIsLostOrDoubled) {
  run([](Runtime& rt) {
    const StaleRows rows = rows_of(rt.size());
    auto table = make_table(rt, rows.spec());
    std::vector<std::uint64_t> all(rows.rows);
    std::iota(all.begin(), all.end(), 0);
    Words values(rows.rows * rows.count);
    constexpr std::uint64_t kSlacks[] = {3, 0, 1, 5, kAnySlack};
    for (std::uint64_t iteration = 1; iteration <= 20; ++iteration) {
      const std::uint64_t slack = kSlacks[iteration % 5];
      const auto told = table->read(all, values.data(), slack, kPatience);
      ASSERT_TRUE(ok(told));
      EXPECT_LE(told->clock - told->oldest, slack);
      for (const std::uint64_t row : all) {
        const auto begin = values.begin() + std::ptrdiff_t(row * rows.count);
        rows.expect_true(rt.rank(), row, Words(begin, begin + std::ptrdiff_t(rows.count)), *told, iteration - 1);
        if (!rows.changes(rt.rank(), row, iteration)) continue;
        ASSERT_TRUE(ok(rows.change(*table, rt.rank(), row, iteration)));
      }
      ASSERT_TRUE(ok(table->tick(kPatience)));
      if ((iteration + rt.rank()) % 3 == 0) let_others_run();
    }
  });
}

TEST_P(StaleTableTest, OwnUpdatesAreReadAtOnceAndThoseOfOthersAfterAFlush) {
  run([](Runtime& rt) {
    auto table = make_table(rt, doubles(4, 2));
    const double ranks = rt.size(), me = rt.rank();
    const double step[] = {1, me};
    double read[2] = {-1, -1};
    ASSERT_TRUE(ok(table->update(3, step)));
    ASSERT_TRUE(ok(table->update(3, step)));
    ASSERT_TRUE(ok(table->read(3, read, kAnySlack, kPatience)));
    EXPECT_GE(read[0], 2);
    ASSERT_TRUE(ok(table->flush(kPatience)));
    ASSERT_TRUE(ok(table->read(3, read, kAnySlack, kPatience)));
    EXPECT_EQ(read[0], 2 * ranks);
    EXPECT_EQ(read[1], ranks * (ranks - 1));
    ASSERT_TRUE(ok(table->read(1, read, 0, kPatience)));
    EXPECT_EQ(read[0], 0);
  });
}

TEST_P(StaleTableTest, AFlushMakesAllEqualToTheBit) {
  run([](Runtime& rt) {
    auto table = make_table(rt, doubles(5, 40));
    std::vector<double> step(40), values(5 * 40);
    const std::vector<std::uint64_t> rows{0, 1, 2, 3, 4};
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t row = 0; row < 5; ++row) {
        ASSERT_TRUE(ok(table->read(rows, values.data(), 2, kPatience)));
        for (std::size_t i = 0; i < step.size(); ++i) step[i] = 1.0 / double(1 + i + row + 40 * rt.rank());
        ASSERT_TRUE(ok(table->update(row, step.data())));
        ASSERT_TRUE(ok(table->tick(kPatience)));
      }
      ASSERT_TRUE(ok(table->flush(kPatience)));
      ASSERT_TRUE(ok(table->read(rows, values.data(), kAnySlack, kPatience)));
      std::uint64_t hash = 0;
      for (const double value : values) hash = util::mix(hash ^ std::bit_cast<std::uint64_t>(value));
      std::vector<std::uint64_t> all(rt.size());
      ASSERT_TRUE(ok(
          rt.world().allgather(std::as_bytes(std::span(&hash, 1)), std::as_writable_bytes(std::span(all)), kPatience)));
      EXPECT_EQ(all, std::vector<std::uint64_t>(rt.size(), hash));
    }
  });
}

TEST_P(StaleTableTest, HalvesAreAddedAsFloats) {
  run([](Runtime& rt) {
    StaleTableSpec spec{.rows = 3, .row = *reduction(Reduction::sum, HalfType::bfloat16, 3)};
    spec.initial = [](std::uint64_t row, void* values) {
      std::ranges::fill(std::span(static_cast<std::uint16_t*>(values), 3), std::uint16_t(row == 1 ? 0x3f80 : 0));
    };
    auto table = make_table(rt, spec);
    const std::vector<std::uint16_t> one(3, 0x3f80);
    std::vector<std::uint16_t> sum(3);
    // In 8 bits 256 + 1 is 256; rows are floats.
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(ok(table->update(1, one.data())));
      ASSERT_TRUE(ok(table->tick(kPatience)));
    }
    ASSERT_TRUE(ok(table->flush(kPatience)));
    ASSERT_TRUE(ok(table->read(1, sum.data(), 0, kPatience)));
    const float expected = 1 + 300.0F * float(rt.size());
    EXPECT_NEAR(std::bit_cast<float>(std::uint32_t{sum[2]} << 16), expected, expected / 256);
  });
}

TEST_P(StaleTableTest, WhatCannotBeIsRefusedAndChangesNothing) {
  run([](Runtime& rt) {
    const auto refused = [&](const std::function<void(StaleTableSpec&)>& spoil, Code code, const char* text) {
      StaleTableSpec wrong = doubles(4, 2);
      spoil(wrong);
      EXPECT_TRUE(fails(StaleTable::create(rt.world(), wrong, kPatience), code, text));
    };
    refused([](auto& spec) { spec.cells = 1; }, Code::invalid_argument, "cells");
    refused([](auto& spec) { spec.row.commutes = false; }, Code::invalid_argument, "commute");
    refused([](auto& spec) { spec.row.combine = {}; }, Code::invalid_argument, "function");
    refused([](auto& spec) { spec.row.count = ~std::size_t{0} / 4; }, Code::invalid_size, "elements");
    refused([](auto& spec) { spec.rows = ~std::uint64_t{0}; }, Code::invalid_argument, "rows");
    if (rt.size() > 1) {
      const char* const other = rt.rank() == 1 ? "rank 0" : "rank 1";
      refused([&](auto& spec) { spec.rows += rt.rank() == 1; }, Code::invalid_argument, "rows is ");
      refused([&](auto& spec) { spec.row.count += rt.rank() == 1; }, Code::invalid_argument, other);
    }
    auto table = make_table(rt, doubles(4, 2));
    double row[2] = {7, 7};
    EXPECT_TRUE(fails(table->update(4, row), Code::invalid_argument, "no row 4, only 4"));
    EXPECT_TRUE(fails(table->write(4, row), Code::invalid_argument, "no row 4"));
    EXPECT_TRUE(fails(table->update(0, nullptr), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(table->read(9, row, 0, kPatience), Code::invalid_argument, "no row 9"));
    EXPECT_TRUE(fails(table->read(0, nullptr, 0, kPatience), Code::invalid_argument, "null"));
    const std::uint64_t none[] = {1, 5};
    EXPECT_TRUE(fails(table->prefetch(none, 0), Code::invalid_argument, "no row 5"));
    EXPECT_EQ(row[0], 7);
    ASSERT_TRUE(ok(table->flush(kPatience)));
    ASSERT_TRUE(ok(table->read(0, row, 0, kPatience)));
    EXPECT_EQ(row[0], 0);
  });
}

TEST_P(StaleTableTest, AFunctionThatFailsAtAKeeperFailsAtAll) {
  run([](Runtime& rt) {
    if (rt.size() == 1) return;
    StaleTableSpec spec = doubles(2, 1);  // row 0 is kept by rank 0
    const Combine add = spec.row.combine;
    int calls = 0;
    spec.row.combine = [&](const void* one, const void* two, void* result, std::size_t count) -> Status {
      if (rt.rank() == 0 && ++calls > 5) return {Code::out_of_memory, "no room for a sum"};
      return add(one, two, result, count);
    };
    auto table = make_table(rt, spec);
    Status status;
    double value = 1;
    for (int i = 0; status.ok() && i < 1'000; ++i) {
      status = table->update(0, &value);
      if (status.ok()) status = table->tick(kPatience);
      if (status.ok()) status = table->read(0, &value, 1, kPatience).status();
    }
    EXPECT_TRUE(fails(status, Code::out_of_memory, rt.rank() == 0 ? "no room" : "combining failed at rank 0"));
    EXPECT_TRUE(fails(table->flush(kPatience), Code::out_of_memory));
  });
}

// ---- in virtual time ----

class StaleTableInTime : public InVirtualTime {};
INSTANTIATE_TEST_SUITE_P(Devices, StaleTableInTime, every_device());

TEST_P(StaleTableInTime, WhatWasReadIsReadAgainWithoutAMessageUntilItIsTooOld) {
  Simulation simulation(3, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto table = make_table(rt, doubles(300, 2));
    double row[2];
    const auto bytes_of = [&](std::uint64_t which, std::uint64_t slack) {
      const auto told = table->read(which, row, slack, kPatience);
      EXPECT_TRUE(ok(told));
      return told->bytes;
    };
    if (rt.rank() == 0) {
      EXPECT_GT(bytes_of(1, 2), 0u);
      EXPECT_EQ(bytes_of(1, 2), 0u);
      EXPECT_EQ(bytes_of(3, 2), 0u);  // its own
    }
    for (int tick = 0; tick < 2; ++tick) ASSERT_TRUE(ok(table->tick(kPatience)));
    if (rt.rank() == 0) {
      EXPECT_EQ(bytes_of(1, 2), 0u);
      ASSERT_TRUE(ok(table->tick(kPatience)));
      EXPECT_GT(bytes_of(1, 2), 0u);
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

// A read of rows that have been asked for in time does not wait.
TEST_P(StaleTableInTime, WhatWasPrefetchedIsThere) {
  Simulation simulation(3, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto table = make_table(rt, doubles(300, 2));
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < 300; row += 7) rows.push_back(row);
    ASSERT_TRUE(ok(table->prefetch(rows, 1)));
    for (int part = 0; part < 100; ++part) {
      simulation.sleep(100'000);
      (void)rt.progress();
    }
    std::vector<double> values(2 * rows.size());
    const auto told = table->read(rows, values.data(), 1, Timeout::test());
    ASSERT_TRUE(ok(told));
    EXPECT_EQ(told->bytes, 0u);
    EXPECT_EQ(told->waited.count(), 0);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(StaleTableInTime, ItSaysForWhomItWaited) {
  Simulation simulation(4, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto table = make_table(rt, doubles(40, 1));
    double value = 0;
    if (rt.rank() == 2) simulation.sleep(500'000'000);
    for (std::uint64_t iteration = 1; iteration <= 4; ++iteration) {
      const auto told = table->read((rt.rank() + 1) % 2, &value, 2, kPatience);
      ASSERT_TRUE(ok(told));
      if (rt.rank() < 2 && iteration == 4) {
        EXPECT_GE(told->waited, 100ms);
        EXPECT_EQ(told->waited_for, std::optional<Rank>(2));
        EXPECT_GE(told->oldest, 1u);
      }
      ASSERT_TRUE(ok(table->tick(kPatience)));
    }
  });
}

TEST_P(StaleTableInTime, WhileATickIsUnderWayOtherCallsAreBusy) {
  Simulation simulation(2, options());
  run_ranks(simulation, [&](Runtime& rt) {
    StaleTableSpec spec = doubles(1'000, 8);
    spec.cell_bytes = 0;
    spec.cells = 2;
    auto table = make_table(rt, spec);
    const std::vector<double> step(8, 1);
    std::vector<double> read(8);
    if (rt.rank() == 0) {
      for (std::uint64_t row = 1; row < 1'000; row += 2) ASSERT_TRUE(ok(table->update(row, step.data())));
      ASSERT_TRUE(table->tick(100us).timed_out());  // its peer sleeps, and gives no cell back
      EXPECT_TRUE(fails(table->update(1, step.data()), Code::busy, "tick"));
      EXPECT_TRUE(fails(table->write(1, step.data()), Code::busy, "tick"));
      EXPECT_TRUE(fails(table->read(1, read.data(), 9, kPatience), Code::busy, "tick"));
      EXPECT_TRUE(fails(table->flush(kPatience), Code::busy, "tick"));
    } else {
      simulation.sleep(100'000'000);
    }
    ASSERT_TRUE(ok(table->tick(kPatience)));
    ASSERT_TRUE(ok(table->flush(kPatience)));
    ASSERT_TRUE(ok(table->read(999, read.data(), 0, kPatience)));
    EXPECT_EQ(read, step);
    EXPECT_EQ(table->clock(), 2u);
    // A flush that has timed out in its tick is no tick.
    if (rt.rank() == 0) {
      for (std::uint64_t row = 1; row < 1'000; row += 2) ASSERT_TRUE(ok(table->update(row, step.data())));
      ASSERT_TRUE(table->flush(100us).timed_out());
      EXPECT_TRUE(fails(table->tick(kPatience), Code::busy, "flush"));
    } else {
      simulation.sleep(100'000'000);
    }
    ASSERT_TRUE(ok(table->flush(kPatience)));
    EXPECT_EQ(table->clock(), 3u);
  });
}

TEST_P(StaleTableInTime, WhoEndsTooEarlyIsNamed) {
  Simulation simulation(3, options());
  std::uint64_t furthest = 0;
  run_ranks(simulation, [&](Runtime& rt) {
    auto table = make_table(rt, doubles(9, 1));
    double value = 0;
    Status status;
    for (int tick = 0; status.ok() && tick < (rt.rank() == 1 ? 4 : 100); ++tick) {
      status = table->tick(2s);
      if (status.ok()) status = table->read(1, &value, 3, 2s).status();
    }
    if (rt.rank() == 1) return;
    EXPECT_TRUE(fails(status, Code::peer_failed, "rank 1 has left"));
    furthest = std::max(furthest, table->clock());
  });
  EXPECT_EQ(furthest, 8u);  // the others have heard of it from this one
}

TEST_P(StaleTableInTime, ADeathIsAnErrorAtEverySurvivor) {
  for (const std::uint64_t slack : {std::uint64_t{0}, std::uint64_t{2}, kAnySlack}) {
    Simulation simulation(5, options());
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      auto table = make_table(rt, doubles(50, 2));
      const double step[] = {1, 2};
      double row[2];
      Status status;
      for (std::uint64_t i = 1; status.ok() && i < 120; ++i) {
        simulation.sleep(1'000'000);
        if (rt.rank() == 3 && i == 5) return simulation.kill(3);
        status = table->read((7 * i + rt.rank()) % 50, row, slack, kPatience).status();
        if (status.ok()) status = table->update(i % 50, step);
        if (status.ok()) status = table->tick(kPatience);
      }
      EXPECT_TRUE(fails(status, Code::peer_failed, "rank 3")) << rt.rank();
      EXPECT_TRUE(fails(table->flush(kPatience), Code::peer_failed, "rank 3"));
      EXPECT_TRUE(fails(table->read(1, row, kAnySlack, kPatience), Code::peer_failed, "rank 3"));
    })));
  }
}

}  // namespace
}  // namespace polder::test
