// Ranks as threads, or as fibres in virtual time, for tests: a body runs as every rank of a simulated job, and what it
// expects reaches GoogleTest.
#pragma once

#include "util/deadline.hpp"
#include "util/fibres.hpp"
#include "util/random.hpp"
#include "util/thread.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace polder::test {

using namespace std::chrono_literals;

// For what must happen, however slow the machine.
inline constexpr Timeout kPatience = 60s;

// ---- outcomes ----

inline const Status& status_of(const Status& status) {
  return status;
}
template <class T>
const Status& status_of(const Result<T>& result) {
  return result.status();
}

template <class Outcome>
testing::AssertionResult ok(const Outcome& outcome) {
  const Status& status = status_of(outcome);
  return status.ok() ? testing::AssertionSuccess() : testing::AssertionFailure() << status.to_string();
}

// Holds if the outcome is `code`, with a text in which `mentioned` occurs.
template <class Outcome>
testing::AssertionResult fails(const Outcome& outcome, Code code, std::string_view mentioned = "") {
  const Status& status = status_of(outcome);
  if (status.code() == code && status.to_string().find(mentioned) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "got '" << status.to_string() << "' instead of '" << to_string(code)
                                     << "' with a mention of '" << mentioned << "'";
}

// ---- data ----

// `count` bytes that differ with `seed`.
inline std::vector<std::byte> noise(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint64_t> words(count / sizeof(std::uint64_t) + 1);
  util::Random random(seed);
  for (std::uint64_t& word : words) word = random.next();
  const auto* const bytes = reinterpret_cast<const std::byte*>(words.data());
  return {bytes, bytes + count};
}

inline std::vector<std::byte> copy_of(const std::byte* data, std::size_t size) {
  return {data, data + size};
}

// ---- time and threads, real or virtual, as the job has them ----

inline void let_others_run() {
  util::yield_core();
}

inline void rest(std::chrono::nanoseconds span) {
  if (util::Fibres* machine = util::Fibres::here())
    machine->sleep(span.count());
  else
    std::this_thread::sleep_for(span);
}

inline util::Clock clock_here() {
  util::Fibres* machine = util::Fibres::here();
  return machine == nullptr ? util::Clock() : util::Clock(*machine);
}

// What std::thread is to a rank that is one.
class Thread {
 public:
  template <class Body>
  explicit Thread(Body&& body) : thread_(clock_here(), "test", std::forward<Body>(body)) {}
  void join() { thread_.join(); }

 private:
  util::Thread thread_;
};

// ---- jobs ----

struct World {
  SimulatedDevice device = SimulatedDevice::direct;
  Rank ranks = 2;
  std::int64_t delay_ns = 0;   // the longest way of an operation through the fabric
  Rank ranks_per_node = 0;     // 0: there are no nodes
  bool deterministic = false;  // one thread, virtual time

  SimulationOptions options() const {
    return {.device = device,
            .min_delay_ns = delay_ns / 10,
            .max_delay_ns = delay_ns,
            .ranks_per_node = ranks_per_node,
            .runtime = {.timeout = kPatience},
            .deterministic = deterministic};
  }
};

inline std::string name_of(const World& world) {
  constexpr const char* kNames[] = {"direct", "network", "messages", "shm"};
  return std::string(kNames[int(world.device)]) + (world.delay_ns == 0 ? "" : "_delayed") +
         (world.ranks_per_node == 0 ? "" : "_nodes") + (world.deterministic ? "_virtual" : "") + "_" +
         std::to_string(world.ranks);
}

inline void PrintTo(const World& world, std::ostream* out) {
  *out << name_of(world);
}

inline std::string name_of_param(const testing::TestParamInfo<World>& info) {
  return name_of(info.param);
}

// Every kind of device, with and without delays where it has any, and in virtual time.
inline std::vector<World> worlds(const std::vector<Rank>& sizes) {
  constexpr std::int64_t kDelay = 150'000;
  std::vector<World> all;
  for (const Rank ranks : sizes) {
    for (const SimulatedDevice device :
         {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages, SimulatedDevice::shm})
      all.push_back({device, ranks, 0});
    all.push_back({SimulatedDevice::network, ranks, kDelay});
    all.push_back({SimulatedDevice::messages, ranks, kDelay});
    all.push_back({SimulatedDevice::direct, ranks, 0, 0, true});
    all.push_back({SimulatedDevice::network, ranks, kDelay, 0, true});
    all.push_back({SimulatedDevice::messages, ranks, kDelay, 0, true});
    if (ranks < 3) continue;
    all.push_back({SimulatedDevice::network, ranks, kDelay, 2, true});
    all.push_back({SimulatedDevice::network, ranks, kDelay, 2});
    all.push_back({SimulatedDevice::messages, ranks, 0, 2});
  }
  return all;
}

// Runs `body` as every rank of a fresh job. All meet once more at its end, so that no rank takes its memory away too
// early.
inline void run_ranks(Simulation& simulation, const std::function<void(Runtime&)>& body) {
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    body(rt);
    EXPECT_TRUE(ok(rt.world().barrier(kPatience))) << "rank " << rt.rank() << " at the end of the test";
  })));
}

inline void run_ranks(Rank ranks, const SimulationOptions& options, const std::function<void(Runtime&)>& body) {
  Simulation simulation(ranks, options);
  run_ranks(simulation, body);
}

// A test of bodies over worlds.
class OnRanks : public testing::TestWithParam<World> {
 protected:
  void run(const std::function<void(Runtime&)>& body) const { run_ranks(GetParam().ranks, GetParam().options(), body); }
};

inline Rank next_of(const Runtime& rt) {
  return (rt.rank() + 1) % rt.size();
}
inline Rank previous_of(const Runtime& rt) {
  return (rt.rank() + rt.size() - 1) % rt.size();
}

inline bool is_delayed(const World& world) {
  return world.delay_ns != 0;
}

}  // namespace polder::test
