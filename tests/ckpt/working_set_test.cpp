// A working set where nobody dies, what it refuses, and errors that end it at all ranks.
#include "ckpt/set_work.hpp"
#include "util/environment.hpp"

#include <algorithm>
#include <stdexcept>

namespace polder::test {
namespace {

class Sets : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Sets, testing::ValuesIn(worlds({3})), name_of_param);

TEST_P(Sets, WorkWhileSparesWait) {
  run([](Runtime& rt) {
    WorkingSet set(rt, {.spares = 1});
    SetWork work;
    int turns = 0;
    ASSERT_TRUE(ok(set.run([&](Member& me) {
      ++turns;
      EXPECT_EQ(me.size(), rt.size() - 1);
      EXPECT_EQ(me.place(), rt.rank());
      EXPECT_TRUE(fails(me.save(kPatience), Code::invalid_argument, "before begin()"));
      EXPECT_TRUE(fails(me.keep(nullptr, 8), Code::invalid_argument, "no address"));
      Status status = work(me);
      EXPECT_EQ(me.epoch(), kSteps);
      EXPECT_TRUE(fails(me.begin(kPatience), Code::invalid_argument, "before"));
      EXPECT_TRUE(fails(me.keep(&turns, sizeof turns), Code::invalid_argument, "after begin()"));
      return status;
    })));
    const bool spare = rt.rank() == rt.size() - 1;
    EXPECT_EQ(turns, spare ? 0 : 1);
    EXPECT_EQ(set.place().has_value(), !spare);
    EXPECT_TRUE(set.recoveries().empty());
    if (!spare) {
      const auto right = answer();
      EXPECT_TRUE(std::equal(work.numbers.begin(), work.numbers.end(),
                             right.begin() + std::ptrdiff_t(first_of(rt.rank(), rt.size() - 1))));
    }
    EXPECT_TRUE(fails(set.run([](Member&) { return Status(); }), Code::invalid_argument, "called before"));
  });
}

TEST_P(Sets, EndByTheErrorOfOne) {
  run([](Runtime& rt) {
    WorkingSet set(rt, {.spares = 1});
    const Status status = set.run([&](Member& me) {
      if (Status begun = me.begin(kPatience); !begun.ok()) return begun;
      return rt.rank() == 1 ? Status(Code::limit, "enough") : me.save(kPatience);
    });
    EXPECT_TRUE(fails(status, rt.rank() == 1 ? Code::limit : Code::closed, rt.rank() == 1 ? "enough" : ""));
  });
}

TEST_P(Sets, EndByAnExceptionOfOne) {
  run([](Runtime& rt) {
    WorkingSet set(rt, {.spares = 1});
    const Status status = set.run([&](Member& me) {
      if (Status begun = me.begin(kPatience); !begun.ok()) return begun;
      if (rt.rank() == 1) throw std::runtime_error("enough");
      return me.save(kPatience);
    });
    EXPECT_TRUE(fails(status, rt.rank() == 1 ? Code::system : Code::closed,
                      rt.rank() == 1 ? "the work threw an exception: enough" : ""));
  });
}

TEST_P(Sets, AreRefusedWithoutMembers) {
  run([](Runtime& rt) {
    WorkingSet set(rt, {.spares = rt.size()});
    EXPECT_TRUE(fails(set.run([](Member&) { return Status(); }), Code::invalid_argument, "leave no member"));
  });
}

TEST_P(Sets, ReadHowManySparesThereAre) {
  const util::ScopedEnvironment spares("POLDER_SPARES", "two");
  run([](Runtime& rt) {
    WorkingSet set(rt);
    EXPECT_TRUE(fails(set.run([](Member&) { return Status(); }), Code::invalid_argument, "POLDER_SPARES is 'two'"));
  });
}

// A death in a set that must become smaller: its program redistributes, or says that it does not.
SimulationOptions in_virtual_time() {
  return World{.device = SimulatedDevice::network, .ranks = 3, .delay_ns = 20'000, .deterministic = true}.options();
}

Status die_once(Simulation& simulation, Member& me, const Redistribute& redistribute) {
  std::uint64_t mine = me.place();
  Status status = me.keep(&mine, sizeof mine);
  if (status.ok()) status = me.begin(kPatience, redistribute);
  while (status.ok() && me.epoch() < 4) {
    if (me.epoch() == 2 && me.runtime().rank() == 1) simulation.kill(1);
    status = me.save(kPatience);
  }
  return status;
}

TEST(SetThatShrinks, SaysThatTheProgramDoesNotRedistribute) {
  Simulation simulation(3, in_virtual_time());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    WorkingSet set(rt, {.spares = 0, .least = 1, .patience = kPatience});
    const Status status = set.run([&](Member& me) { return die_once(simulation, me, {}); });
    EXPECT_TRUE(rt.rank() == 1 || fails(status, Code::invalid_argument, "epoch 2 has 3 parts, there are 2 members"));
  })));
}

TEST(SetThatShrinks, ReadsAllPartsAndRefusesOthers) {
  Simulation simulation(3, in_virtual_time());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    WorkingSet set(rt, {.spares = 0, .least = 1, .patience = kPatience});
    const Redistribute all = [](SavedParts& parts) {
      std::uint64_t part = 0;
      const auto bytes = std::as_writable_bytes(std::span(&part, 1));
      for (Rank place = 0; place < parts.size(); ++place) {
        EXPECT_EQ(parts.bytes_of(place), 8u);
        EXPECT_TRUE(ok(parts.read(place, 0, bytes, kPatience)));
        EXPECT_EQ(part, place);
      }
      EXPECT_TRUE(fails(parts.read(3, 0, bytes, kPatience), Code::invalid_rank, "no part 3 of 3"));
      EXPECT_TRUE(fails(parts.read(0, 1, bytes, kPatience), Code::invalid_size, "bytes 1 to 9"));
      return Status();
    };
    const Status status = set.run([&](Member& me) { return die_once(simulation, me, all); });
    if (rt.rank() == 1) return;
    EXPECT_TRUE(ok(status));
    ASSERT_EQ(set.recoveries().size(), 1u);
    EXPECT_EQ(set.recoveries()[0].lost, std::vector<Rank>{1});
    EXPECT_EQ(set.recoveries()[0].epoch, 2u);
  })));
}

// In the time of the simulation, which has gone on before.
TEST(Recoveries, CountFromADeathBeforeTheWorkBegan) {
  SimulationOptions options = World{.device = SimulatedDevice::network, .ranks = 3, .deterministic = true}.options();
  options.detection_ns = 1'000'000;
  Simulation simulation(3, options);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(20'000'000'000);
    WorkingSetSpec spec = {.spares = 1, .patience = kPatience};
    spec.at_step = [&](std::string_view step) {
      if (rt.rank() == 1 && step == "form: split") simulation.kill(1);
    };
    WorkingSet set(rt, spec);
    SetWork work;
    const Status status = set.run([&](Member& me) { return work(me); });
    if (rt.rank() == 1) return;
    EXPECT_TRUE(ok(status));
    ASSERT_EQ(set.recoveries().size(), 1u);
    EXPECT_EQ(set.recoveries()[0].lost, std::vector<Rank>{1});
    EXPECT_LT(set.recoveries()[0].seconds, 20);
  })));
}

}  // namespace
}  // namespace polder::test
