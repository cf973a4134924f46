#include "util/fibres.hpp"

#include "util/bell.hpp"
#include "util/mutex.hpp"
#include "util/spin_lock.hpp"
#include "util/thread.hpp"
#include "util/waiting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <string>

namespace polder::util {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

// Runs what is given, each in a fibre, to its end.
void run(Fibres& machine, const std::vector<std::function<void()>>& bodies) {
  std::size_t left = bodies.size();
  for (const auto& body : bodies)
    machine.start("body", [&] {
      body();
      --left;
    });
  ASSERT_EQ(machine.run([&] { return left == 0; }), Fibres::End::done);
}

TEST(Fibres, TimeJumpsToWhoWakesNext) {
  Fibres machine({});
  std::string woken;
  const std::int64_t begin = machine.now_ns();
  run(machine, {[&] { machine.sleep(kHour), woken += 'b'; }, [&] { machine.sleep(kHour / 2), woken += 'a'; }});
  EXPECT_EQ(woken, "ab");
  EXPECT_GE(machine.now_ns() - begin, kHour);
  EXPECT_LT(machine.now_ns() - begin, kHour + 1'000'000);
}

TEST(Fibres, HereIsTheMachineOfTheCaller) {
  Fibres machine({});
  EXPECT_EQ(Fibres::here(), nullptr);
  const void* one = nullptr;
  const void* other = nullptr;
  const auto first = [&] {
    one = this_thread();
    EXPECT_EQ(Fibres::here(), &machine);
  };
  run(machine, {first, [&] { other = this_thread(); }});
  EXPECT_EQ(Fibres::here(), nullptr);
  EXPECT_NE(one, other);
  EXPECT_NE(one, this_thread());
}

std::string course_of(std::uint64_t seed) {
  Fibres machine({.seed = seed});
  std::string order;
  std::vector<std::function<void()>> bodies;
  for (char name = 'a'; name < 'f'; ++name)
    bodies.push_back([&order, name] {
      for (int turn = 0; turn < 5; ++turn) order += name, yield_core();
    });
  run(machine, bodies);
  return order + std::to_string(machine.course());
}

TEST(Fibres, TheSeedDrawsTheCourse) {
  EXPECT_EQ(course_of(1), course_of(1));
  EXPECT_NE(course_of(1), course_of(2));
}

TEST(Fibres, ABellWakesLongBeforeItsTime) {
  Fibres machine({});
  Bell bell;
  std::atomic<bool> flag{false};
  Patience patience({.clock = Clock(machine)});
  Status status = Code::timeout;
  const std::int64_t begin = machine.now_ns();
  run(machine, {[&] {
                  status = wait_until([&] { return flag.load(); }, [] { return Status(); }, bell, patience,
                                      Timeout::block());
                },
                [&] {
                  machine.sleep(10'000'000);
                  flag = true;
                  bell.ring();
                }});
  EXPECT_TRUE(status.ok());
  EXPECT_LT(machine.now_ns() - begin, 11'000'000);
}

TEST(Fibres, WaitsTimeOutInVirtualTime) {
  Fibres machine({});
  Bell bell;
  Patience patience({.clock = Clock(machine)});
  Status status;
  const std::int64_t begin = machine.now_ns();
  run(machine, {[&] {
        status = wait_until([] { return false; }, [] { return Status(); }, bell, patience, std::chrono::hours(1));
      }});
  EXPECT_TRUE(status.timed_out());
  EXPECT_GE(machine.now_ns() - begin, kHour);
}

// Two address spaces, or two mappings in one: whoever rings does not know where the sleeper looks.
TEST(Fibres, AWordIsWokenAtItsOtherAddressToo) {
  Fibres machine({});
  std::atomic<std::uint32_t> word{0}, elsewhere{0};
  const std::int64_t begin = machine.now_ns();
  run(machine, {[&] { machine.sleep_on(word, 0, kHour); },
                [&] {
                  machine.sleep(1'000'000);
                  word = 1;
                  machine.wake(elsewhere, 1);
                }});
  EXPECT_LT(machine.now_ns() - begin, kHour);
}

template <class Lock>
void expect_excludes() {
  Fibres machine({});
  Lock lock;
  int inside = 0;
  const auto enter = [&] {
    for (int turn = 0; turn < 10; ++turn) {
      std::lock_guard held(lock);
      EXPECT_EQ(++inside, 1);
      yield_core();
      --inside;
    }
  };
  run(machine, {enter, enter, enter});
}

TEST(Fibres, LocksLetOneInAtATime) {
  expect_excludes<Mutex>();
  expect_excludes<SpinLock>();
  expect_excludes<RecursiveMutex>();
}

TEST(Fibres, ARecursiveMutexKnowsItsHolder) {
  Fibres machine({});
  RecursiveMutex mutex;
  bool taken = true;
  run(machine, {[&] {
                  std::lock_guard once(mutex);
                  std::lock_guard twice(mutex);
                  machine.sleep(1'000'000);
                },
                [&] {
                  machine.sleep(500'000);
                  taken = mutex.try_lock();
                }});
  EXPECT_FALSE(taken);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(Fibres, AThreadInVirtualTimeIsAFibre) {
  Fibres machine({});
  const void* thread = nullptr;
  run(machine, {[&] {
        Thread helper(Clock(machine), "helper", [&] {
          machine.sleep(1'000'000);
          thread = Fibres::here();
        });
        EXPECT_TRUE(helper.joinable());
        helper.join();
        EXPECT_EQ(thread, &machine);
        EXPECT_FALSE(helper.joinable());
      }});
}

TEST(Fibres, AThreadMayBeJoinedFromOutside) {
  Fibres machine({});
  bool ran = false;
  Thread helper(Clock(machine), "helper", [&] { machine.sleep(kHour), ran = true; });
  helper.join();
  EXPECT_TRUE(ran);
}

TEST(Fibres, ExceptionsStayOnTheirStacks) {
  Fibres machine({});
  const auto thrower = [](const std::string& text) {
    return [text] {
      for (int turn = 0; turn < 3; ++turn) {
        try {
          throw std::runtime_error(text);
        } catch (const std::runtime_error& error) {
          yield_core();  // the other one throws and catches meanwhile
          EXPECT_EQ(error.what(), text);
          EXPECT_TRUE(std::current_exception() != nullptr);
        }
      }
    };
  };
  run(machine, {thrower("one"), thrower("other")});
}

TEST(Fibres, WhoeverSleepsForGoodIsNamed) {
  Fibres machine({});
  std::atomic<std::uint32_t> word{0};
  machine.start("sleeper", [&] { machine.sleep_on(word, 0, kHour); });
  machine.start("other", [] {});
  EXPECT_EQ(machine.run([] { return false; }, machine.now_ns() + kHour / 2), Fibres::End::late);
  EXPECT_THAT(machine.living(), testing::ElementsAre("sleeper"));
  EXPECT_EQ(machine.run([] { return false; }), Fibres::End::stuck);
}

TEST(Fibres, AThousandComeAndGo) {
  Fibres machine({});
  int ran = 0;
  std::vector<std::function<void()>> bodies(1000, [&] {
    yield_core();
    ++ran;
  });
  run(machine, bodies);
  run(machine, bodies);
  EXPECT_EQ(ran, 2000);
}

}  // namespace
}  // namespace polder::util
