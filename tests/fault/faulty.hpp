// Simulated jobs in which ranks die or lose each other.
#pragma once

#include "core/ranks.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace polder::test {

inline SimulationOptions quick_detection(SimulatedDevice device) {
  return {.device = device, .detection_ns = 5'000'000, .runtime = {.timeout = kPatience}};
}

inline std::string name_of_device(const testing::TestParamInfo<SimulatedDevice>& made) {
  return std::vector<std::string>{"direct", "network", "messages", "shm"}[std::size_t(made.param)];
}

// Ranks of a job that meet past the runtime, which would refuse to meet with the dead.
class Meeting {
 public:
  explicit Meeting(Rank members) : members_(members) {}

  // Returns once all members have come this often, or with a failure of the test after a long time.
  void wait() {
    const unsigned turn = arrived_.fetch_add(1) / members_;
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (arrived_.load() / members_ <= turn) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "a rank did not come to meeting " << turn;
        return;
      }
      std::this_thread::sleep_for(50us);
    }
  }

 private:
  const unsigned members_;
  std::atomic<unsigned> arrived_{0};
};

// All ranks but `dead` make a group, and put, meet and gather in it.
inline void go_on_without(Runtime& rt, Rank dead) {
  std::vector<Rank> living;
  for (Rank rank = 0; rank < rt.size(); ++rank)
    if (rank != dead) living.push_back(rank);
  auto group = rt.create_group(living);
  ASSERT_TRUE(ok(group));
  ASSERT_TRUE(ok((*group)->commit(kPatience)));
  auto segment = rt.create_segment({.size = 64, .id = 500}, **group, kPatience);
  ASSERT_TRUE(ok(segment));
  const std::uint64_t value = 40 + rt.rank();
  const Rank next = living[((*group)->index() + 1) % living.size()];
  const Rank previous = living[((*group)->index() + living.size() - 1) % living.size()];
  auto queue = rt.create_queue();
  ASSERT_TRUE(ok(rt.put_notify(&value, {next, 500, 0}, sizeof value, {.id = 1}, **queue)));
  ASSERT_TRUE(ok(rt.wait_some(500, 1, 1, kPatience)));
  EXPECT_EQ(segment->as<std::uint64_t>()[0], 40 + previous);
  ASSERT_TRUE(ok((*queue)->wait(Completion::remote, kPatience)));
  std::vector<Rank> all(living.size());
  const Rank mine = rt.rank();
  ASSERT_TRUE(
      ok((*group)->allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), kPatience)));
  EXPECT_EQ(all, living);
  ASSERT_TRUE(ok((*group)->barrier(kPatience)));
}

}  // namespace polder::test
