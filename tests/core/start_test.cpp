// Starts: of a rank that is late, and of one that can never be reached.
#include "bootstrap/local/in_process.hpp"
#include "core/engine/engine.hpp"
#include "core/ranks.hpp"
#include "device/shm/shm_device.hpp"

#include <atomic>
#include <thread>

namespace polder::test {
namespace {

// Forwards all, counts the look-ups of other ranks' records, and may refuse them.
class Watched final : public bootstrap::Bootstrap {
 public:
  Watched(std::unique_ptr<Bootstrap> inner, Status refusal) : inner_(std::move(inner)), refusal_(std::move(refusal)) {}

  const bootstrap::Job& job() const override { return inner_->job(); }
  bool same_node(Rank peer) const override { return inner_->same_node(peer); }
  std::optional<Rank> first_beside(Rank peer) const override { return inner_->first_beside(peer); }
  Status publish(std::string_view key, std::span<const std::byte> value) override {
    return inner_->publish(key, value);
  }
  Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) override {
    if (owner != job().rank) ++lookups;
    if (owner != job().rank && !refusal_.ok()) return refusal_;
    return inner_->lookup(owner, key, timeout);
  }
  Health health(Rank rank) const override { return inner_->health(rank); }
  bool may_return(Rank rank) const override { return inner_->may_return(rank); }
  const std::atomic<std::uint32_t>& health_changes() const override { return inner_->health_changes(); }
  void report_failure(Rank rank) override { inner_->report_failure(rank); }
  Status kill(Rank rank) override { return inner_->kill(rank); }
  void finish() override { inner_->finish(); }
  void abort(int code, std::string_view reason) override { inner_->abort(code, reason); }

  std::atomic<int> lookups{0};

 private:
  const std::unique_ptr<Bootstrap> inner_;
  const Status refusal_;
};

class Start : public testing::Test {
 protected:
  // The runtime of a rank; `watched`, if not null, is told of its bootstrap.
  Result<std::unique_ptr<Runtime>> join(Rank rank, Watched** watched = nullptr, Status refusal = {}) {
    auto inner = job_->attach(rank);
    if (!inner.ok()) return std::move(inner).status();
    auto bootstrap = std::make_unique<Watched>(*std::move(inner), std::move(refusal));
    if (watched != nullptr) *watched = bootstrap.get();
    auto device = device::shm::ShmDevice::create(rank, 2);
    if (!device.ok()) return std::move(device).status();
    RuntimeOptions options;
    options.commit_world = false;
    auto engine = core::Engine::create({std::move(bootstrap), *std::move(device)}, options);
    if (!engine.ok()) return std::move(engine).status();
    return std::make_unique<Runtime>(*std::move(engine));
  }

  Result<bootstrap::local::InProcessJob> job_ = bootstrap::local::InProcessJob::create(2);
};

// Each look in vain once rang the bell on which the waiting thread slept, which then looked again: twenty thousand
// times in this time.
TEST_F(Start, WhoeverWaitsForALateRankSleeps) {
  ASSERT_TRUE(ok(job_));
  Watched* watched = nullptr;
  auto first = join(0, &watched);
  ASSERT_TRUE(ok(first));
  std::thread late([&] {
    std::this_thread::sleep_for(300ms);
    auto second = join(1);
    ASSERT_TRUE(ok(second));
    EXPECT_TRUE(ok((*second)->world().commit(kPatience)));
    EXPECT_TRUE(ok((*second)->world().barrier(kPatience)));
  });
  EXPECT_TRUE(ok((*first)->world().commit(kPatience)));
  EXPECT_LT(watched->lookups, 5000);
  EXPECT_TRUE(ok((*first)->world().barrier(kPatience)));
  late.join();
}

TEST_F(Start, WhatCannotGetBetterFailsAtOnce) {
  ASSERT_TRUE(ok(job_));
  auto first = join(0, nullptr, Status(Code::system, "open: Too many open files"));
  auto second = join(1);
  ASSERT_TRUE(ok(first));
  ASSERT_TRUE(ok(second));
  EXPECT_TRUE(fails((*first)->world().commit(Timeout::block()), Code::system, "Too many open files"));
}

// A job that does not get under way says why, once on each node, whichever rank is missing.
TEST(SilentStart, AfterTenSecondsALineNamesTheMissing) {
  for (const Rank missing : {0, 1, 2}) {
    SCOPED_TRACE("rank " + std::to_string(missing));
    Simulation simulation(3, {.device = SimulatedDevice::direct,
                              .runtime = {.timeout = kPatience, .commit_world = false},
                              .deterministic = true});
    testing::internal::CaptureStderr();
    const Status status = simulation.run([&](Runtime& rt) {
      if (rt.rank() == missing) simulation.sleep(15'000'000'000);
      EXPECT_TRUE(ok(rt.world().commit(kPatience)));
    });
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(ok(status));
    const std::string names = "waits for rank " + std::to_string(missing) + " to make a group of 3";
    const std::size_t line = said.find(names);
    ASSERT_NE(line, std::string::npos) << said;
    EXPECT_EQ(said.find("to make a group", line + names.size()), std::string::npos) << "twice: " << said;
  }
}

}  // namespace
}  // namespace polder::test
