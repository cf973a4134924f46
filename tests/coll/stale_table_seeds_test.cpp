// The table of rows by the thousand: random tables, slacks, prefetches, updates, writes, stragglers, delays, timeouts and
// deaths, in virtual time. An oracle that knows what everybody does checks each row that is read: the bound on staleness
// holds, nothing is lost, doubled or torn, no row goes back, and after a flush all read the same.
//
// POLDER_TEST_SEED=n takes one course again, POLDER_TEST_SEEDS=n runs so many.
#include "coll/stale_rows.hpp"
#include "core/ranks.hpp"
#include "core/seeds.hpp"

#include <polder/stale_table.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace polder::test {
namespace {

using Words = StaleRows::Words;

struct TablePlan {
  StaleRows rows;
  std::size_t cached_rows = 0, cell_bytes = 0;
  unsigned cells = 2;
  std::vector<bool> flushes;  // by iteration
  std::optional<Rank> dies;
};

TablePlan table_plan_of(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 0x7ab1e));
  TablePlan plan;
  plan.rows = {.members = Rank(1 + random.below(StaleWords::kMembers)),
               .rows = 1 + random.below(30),
               .count = random.below(6),
               .seed = seed};
  constexpr std::size_t kCached[] = {0, 3, 100}, kCellBytes[] = {0, 300, 4096};
  plan.cached_rows = kCached[random.below(3)];
  plan.cell_bytes = kCellBytes[random.below(3)];
  plan.cells = unsigned(2 + random.below(3));
  plan.flushes.resize(3 + random.below(12));
  for (std::size_t i = 0; i < plan.flushes.size(); ++i) plan.flushes[i] = random.below(6) == 0;
  if (plan.rows.members > 1 && random.below(5) == 0) plan.dies = Rank(random.below(plan.rows.members));
  return plan;
}

class TableProgram {
 public:
  TableProgram(Runtime& rt, Simulation& simulation, const TablePlan& plan, std::map<std::uint64_t, Words>& flushed)
      : rt_(rt),
        simulation_(simulation),
        plan_(plan),
        rows_(plan.rows),
        flushed_(flushed),
        random_(util::mix(rows_.seed ^ rt.rank())) {}

  void run() {
    StaleTableSpec spec = rows_.spec();
    spec.cached_rows = plan_.cached_rows;
    spec.cell_bytes = plan_.cell_bytes;
    spec.cells = plan_.cells;
    auto made = StaleTable::create(rt_.world(), spec, 30s);
    if (!made.ok()) {
      EXPECT_TRUE(plan_.dies.has_value()) << made.status().to_string();
      return;
    }
    table_ = made->get();
    const Status status = iterate();
    if (status.ok()) return;
    if (plan_.dies == rt_.rank()) return simulation_.sleep(5'000'000'000);
    ASSERT_TRUE(plan_.dies.has_value()) << status.to_string();
    EXPECT_TRUE(fails(status, Code::peer_failed, "rank ")) << "rank " << rt_.rank();
  }

 private:
  Status iterate() {
    for (const bool flushes : plan_.flushes) {
      ++iteration_;
      if (random_.below(3) == 0) simulation_.sleep(std::int64_t(random_.below(300'000)));
      changed_.clear();
      Status status = read_some();
      if (status.ok()) status = change_rows();
      if (status.ok() && random_.below(2) == 0) status = read_some();
      if (status.ok()) status = persist([&](Timeout t) { return flushes ? table_->flush(t) : table_->tick(t); });
      if (status.ok() && flushes) status = compare();
      if (!status.ok() || testing::Test::HasFailure()) return status;
      EXPECT_EQ(table_->clock(), iteration_);
    }
    return {};
  }

  std::vector<std::uint64_t> some_rows() {
    std::vector<std::uint64_t> rows(random_.below(12));
    for (std::uint64_t& row : rows) row = random_.below(rows_.rows);
    return rows;
  }

  // With short timeouts now and then, after which it goes on.
  template <class Call>
  Status persist(Call&& call) {
    while (true) {
      const bool is_short = random_.below(2) == 0;
      Status status = call(is_short ? Timeout(std::chrono::nanoseconds(random_.below(50'000))) : Timeout(30s));
      if (!status.timed_out() || !is_short) return status;
      if (random_.below(3) == 0)
        if (Status asked = table_->prefetch(some_rows(), random_.below(3)); !asked.ok()) return asked;
    }
  }

  Status read_some() {
    constexpr std::uint64_t kSlacks[] = {0, 1, 2, 5, ~std::uint64_t{0}};
    const std::vector<std::uint64_t> rows = some_rows();
    const std::uint64_t slack = kSlacks[random_.below(5)], clock = table_->clock();
    if (random_.below(3) == 0)
      if (Status asked = table_->prefetch(some_rows(), kSlacks[random_.below(5)]); !asked.ok()) return asked;
    Words all(rows.size() * rows_.count + 1);
    Staleness told;
    Status status = persist([&](Timeout timeout) {
      auto result = table_->read(rows, all.data(), slack, timeout);
      if (result.ok()) told = *result;
      return result.status();
    });
    if (!status.ok()) return status;
    EXPECT_EQ(told.clock, clock);
    EXPECT_GE(told.oldest, slack < clock ? clock - slack : 0);
    EXPECT_GE(told.newest, told.oldest);
    for (std::size_t i = 0; i < rows.size(); ++i) check(rows[i], std::span(all).subspan(i * rows_.count), told);
    return {};
  }

  void check(std::uint64_t row, std::span<const std::uint64_t> values, const Staleness& told) {
    const Words read(values.begin(), values.begin() + std::ptrdiff_t(rows_.count));
    const std::uint64_t own = changed_.contains(row) ? iteration_ : iteration_ - 1;
    const auto many = rows_.expect_true(rt_.rank(), row, read, told, own);
    auto& before = seen_[row];
    before.resize(many.size());
    for (std::size_t member = 0; member < many.size(); ++member)
      EXPECT_GE(many[member], before[member]) << "row " << row << " goes back";
    before = many;
  }

  Status change_rows() {
    for (std::uint64_t row = 0; row < rows_.rows; ++row) {
      if (!rows_.changes(rt_.rank(), row, iteration_)) continue;
      if (Status status = rows_.change(*table_, rt_.rank(), row, iteration_); !status.ok()) return status;
      changed_.insert(row);
    }
    return {};
  }

  // Of all members, before anybody ticks again.
  Status compare() {
    std::vector<std::uint64_t> rows(rows_.rows);
    for (std::uint64_t row = 0; row < rows_.rows; ++row) rows[row] = row;
    Words all(rows.size() * rows_.count + 1);
    const Status status = persist([&](Timeout t) { return table_->read(rows, all.data(), 1'000, t).status(); });
    if (!status.ok()) return status;
    const auto [first, is_new] = flushed_.try_emplace(iteration_, all);
    EXPECT_TRUE(is_new || first->second == all) << "rank " << rt_.rank() << " after a flush";
    for (std::uint64_t row = 0; row < rows_.rows && rows_.count != 0; ++row) {
      const auto values = std::span(all).subspan(row * rows_.count, rows_.count);
      const auto many = rows_.expect_whole(row, Words(values.begin(), values.end()));
      for (Rank member = 0; member < rows_.members; ++member)
        EXPECT_EQ(many[member], rows_.changed(member, row, iteration_)) << "row " << row;
    }
    return rt_.world().barrier(30s);
  }

  Runtime& rt_;
  Simulation& simulation_;
  const TablePlan& plan_;
  const StaleRows& rows_;
  std::map<std::uint64_t, Words>& flushed_;
  util::Random random_;
  StaleTable* table_ = nullptr;
  std::uint64_t iteration_ = 0;
  std::set<std::uint64_t> changed_;  // rows, in this iteration
  std::map<std::uint64_t, std::vector<std::uint64_t>> seen_;
};

SimulationOptions table_options_of(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 0xc011));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(100'000));
  options.detection_ns = 1'000'000;
  if (options.device != SimulatedDevice::direct && random.below(3) == 0) options.ranks_per_node = 2;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

void run_table_seed(std::uint64_t seed) {
  const TablePlan plan = table_plan_of(seed);
  util::Random random(util::mix(seed ^ 0xdead));
  Simulation simulation(plan.rows.members, table_options_of(seed));
  constexpr std::int64_t kBegin = 50'000'000;  // all have started
  if (plan.dies)
    simulation.at(kBegin + std::int64_t(random.below(3'000'000)),
                  [&simulation, victim = *plan.dies] { simulation.kill(victim); });
  std::map<std::uint64_t, Words> flushed;
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(kBegin - simulation.now_ns());
    TableProgram(rt, simulation, plan, flushed).run();
  })));
}

class StaleTableSeeds : public testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t kTableParts = 4;

TEST_P(StaleTableSeeds, TheBoundHoldsAndNothingIsLostDoubledOrTorn) {
  run_seeds(GetParam(), kTableParts, 400, run_table_seed);
}

INSTANTIATE_TEST_SUITE_P(Parts, StaleTableSeeds, testing::Range(std::uint64_t{0}, kTableParts));

}  // namespace
}  // namespace polder::test
