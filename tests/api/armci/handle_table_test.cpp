// Names of handles over a network: they last as long as their operations, and no failure is lost with them.
#include "api/armci/transfer/handle_table.hpp"

#include "core/ranks.hpp"

#include <functional>

namespace polder::armci {
namespace {

using test::fails;
using test::kPatience;
using test::ok;

constexpr std::uint64_t kThere = 7;  // what the others have

// Rank 0 reads from the others, in virtual time.
class HandleNames : public testing::Test {
 protected:
  void run(const std::function<void(Runtime&)>& body) {
    EXPECT_TRUE(ok(simulation_.run([&](Runtime& rt) {
      auto segment = rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      segment->as<std::uint64_t>()[0] = kThere;
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 0) body(rt);
      (void)rt.world().barrier(kPatience).ok();  // rank 1 may be dead
    })));
  }
  // Rank 1 dies, and what rank 0 has asked it ends in vain.
  void kill_one(Runtime& rt) {
    simulation_.kill(1);
    EXPECT_TRUE(ok(rt.wait_all(Completion::remote, kPatience)));
  }
  static Status get(Runtime& rt, Handle& handle, std::uint64_t& value, Rank from = 1) {
    return rt.get(&value, {from, 1, 0}, sizeof value, handle);
  }
  static auto getting(Runtime& rt, std::uint64_t& value, Rank from = 1) {
    return [&rt, &value, from](Handle& handle) { return get(rt, handle, value, from); };
  }
  // On memory that can be loaded and stored nothing is left when a call returns.
  static Status complete_at_once(Handle&) { return {}; }

 private:
  Simulation simulation_{3, {.min_delay_ns = 1'000'000, .max_delay_ns = 1'000'000, .deterministic = true}};
};

TEST_F(HandleNames, AFailureIsToldByTheNextCallWithTheHandle) {
  run([&](Runtime& rt) {
    HandleTable table;
    armci_hdl_t named = {0, 0};
    std::uint64_t value = 0;
    ASSERT_TRUE(ok(table.post(named, getting(rt, value))));
    kill_one(rt);
    EXPECT_TRUE(fails(table.post(named, complete_at_once), Code::peer_failed));
    EXPECT_EQ(named.target, 0);
    EXPECT_TRUE(ok(table.wait(named, kPatience))) << "told once";
  });
}

TEST_F(HandleNames, AFailureBeforeThePostingCallReturnsIsItsOwn) {
  run([&](Runtime& rt) {
    HandleTable table;
    armci_hdl_t named = {0, 0};
    std::uint64_t value = 0;
    EXPECT_TRUE(fails(table.post(named,
                                 [&](Handle& handle) {
                                   Status status = get(rt, handle, value);
                                   kill_one(rt);
                                   return status;
                                 }),
                      Code::peer_failed));
    EXPECT_EQ(named.target, 0);
  });
}

TEST_F(HandleNames, WhatFailedKeepsItsNameWhenNamesRunOut) {
  run([&](Runtime& rt) {
    HandleTable table(2);
    armci_hdl_t first = {0, 0}, second = {0, 0}, third = {0, 0};
    std::uint64_t value = 0;
    ASSERT_TRUE(ok(table.post(first, getting(rt, value))));
    ASSERT_TRUE(ok(table.post(second, getting(rt, value))));
    kill_one(rt);
    EXPECT_TRUE(ok(table.post(third, getting(rt, value, 2))));
    EXPECT_EQ(value, kThere);
    EXPECT_TRUE(fails(table.wait(first, kPatience), Code::peer_failed));
    EXPECT_TRUE(fails(table.wait(second, kPatience), Code::peer_failed));
  });
}

TEST_F(HandleNames, WaitingForAllTellsWhatFailedBehindThem) {
  run([&](Runtime& rt) {
    HandleTable table;
    armci_hdl_t named = {0, 0};
    std::uint64_t value = 0;
    ASSERT_TRUE(ok(table.post(named, getting(rt, value))));
    EXPECT_TRUE(ok(table.end_all())) << "it has not ended";
    kill_one(rt);
    EXPECT_TRUE(fails(table.end_all(), Code::peer_failed));
    EXPECT_TRUE(ok(table.end_all()));
    EXPECT_TRUE(ok(table.wait(named, kPatience)));
  });
}

TEST_F(HandleNames, LastWhileSomethingIsUnderWay) {
  run([&](Runtime& rt) {
    HandleTable table;
    armci_hdl_t named = {0, 0};
    std::uint64_t value = 0, other = 0;
    ASSERT_TRUE(ok(table.post(named, getting(rt, value))));
    armci_hdl_t copy = named;
    EXPECT_TRUE(fails(table.wait(named, Timeout::test()), Code::timeout));
    EXPECT_EQ(named.target, copy.target);
    ASSERT_TRUE(ok(table.post(named, getting(rt, other))));
    EXPECT_EQ(named.target, copy.target);
    EXPECT_TRUE(fails(table.wait(copy, Timeout::test()), Code::timeout)) << "of the copy";
    ASSERT_TRUE(ok(table.wait(copy, kPatience)));
    EXPECT_EQ(value, kThere);
    EXPECT_EQ(other, kThere);
    EXPECT_TRUE(ok(table.wait(named, kPatience)));
  });
}

TEST_F(HandleNames, MoreThanThereAreIsWaitedFor) {
  run([&](Runtime& rt) {
    HandleTable table(1);
    armci_hdl_t named = {0, 0}, nameless = {0, 0};
    std::uint64_t value = 0, other = 0;
    ASSERT_TRUE(ok(table.post(named, getting(rt, value))));
    ASSERT_TRUE(ok(table.post(nameless, getting(rt, other))));
    EXPECT_EQ(nameless.target, 0);
    EXPECT_EQ(other, kThere);
    ASSERT_TRUE(ok(table.wait(named, kPatience)));
    EXPECT_EQ(value, kThere);
  });
}

}  // namespace
}  // namespace polder::armci
