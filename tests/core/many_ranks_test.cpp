// What a rank of a large job costs: memory and questions, by the peers that it talks to and not by how many there are.
#include "bootstrap/local/in_process.hpp"
#include "bootstrap/local/job_page.hpp"
#include "core/engine/engine.hpp"
#include "device/sim/fabric.hpp"

#include <polder/runtime.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

namespace polder::core {
namespace {

using namespace std::chrono_literals;

constexpr Rank kPeers = 8;

// Counts what a rank asks the launcher's store.
class Counting final : public bootstrap::Bootstrap {
 public:
  Counting(std::unique_ptr<Bootstrap> inner, std::atomic<int>& lookups) : inner_(std::move(inner)), lookups_(lookups) {}

  const bootstrap::Job& job() const override { return inner_->job(); }
  bool same_node(Rank peer) const override { return inner_->same_node(peer); }
  std::optional<Rank> first_beside(Rank peer) const override { return inner_->first_beside(peer); }
  Status publish(std::string_view key, std::span<const std::byte> value) override {
    return inner_->publish(key, value);
  }
  Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) override {
    ++lookups_;
    return inner_->lookup(owner, key, timeout);
  }
  Health health(Rank rank) const override { return inner_->health(rank); }
  bool may_return(Rank rank) const override { return inner_->may_return(rank); }
  const std::atomic<std::uint32_t>& health_changes() const override { return inner_->health_changes(); }
  void report_failure(Rank rank) override { inner_->report_failure(rank); }
  Status kill(Rank rank) override { return inner_->kill(rank); }
  void finish() override { inner_->finish(); }
  void abort(int code, std::string_view reason) override { inner_->abort(code, reason); }

 private:
  const std::unique_ptr<Bootstrap> inner_;
  std::atomic<int>& lookups_;
};

struct Cost {
  std::size_t start_bytes = 0, talk_bytes = 0;
  int start_lookups = 0, talk_lookups = 0;
};

// Rank 0 of a job of `ranks` and eight others, all over the job, to which it puts.
class Job {
 public:
  explicit Job(Rank ranks) : ranks_(ranks) {
    auto job = bootstrap::local::InProcessJob::create(ranks);
    auto fabric = device::sim::Fabric::create({.ranks = ranks});
    EXPECT_TRUE(job.ok() && fabric.ok());
    job_.emplace(*std::move(job));
    fabric_ = *std::move(fabric);
  }

  Cost measure() {
    Cost cost;
    for (Rank i = 1; i <= kPeers; ++i) {
      others_.push_back(make(peer(i)));
      EXPECT_TRUE(others_.back()->create_segment({.size = 64, .id = 0}).ok());
    }
    const std::size_t before = bytes_in_use();
    auto first = make(0);
    cost.start_bytes = bytes_in_use() - before;
    cost.start_lookups = lookups_.exchange(0);
    const std::size_t started = bytes_in_use();
    std::uint64_t word = 7;
    Post post;
    post.until = Until::remote;
    post.timeout = 30s;
    for (Rank i = 1; i <= kPeers; ++i) {
      const GlobalAddress there{.rank = peer(i), .segment = 0, .offset = 0};
      EXPECT_TRUE(first->put(&word, there, sizeof word, post).ok());
    }
    cost.talk_bytes = bytes_in_use() - started;
    cost.talk_lookups = lookups_;
    first.reset();
    others_.clear();
    return cost;
  }

 private:
  Rank peer(Rank i) const { return i * (ranks_ / (kPeers + 1)); }
  static std::size_t bytes_in_use() { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; }

  std::unique_ptr<Runtime> make(Rank rank) {
    auto bootstrap = job_->attach(rank);
    auto device = fabric_->device(rank);
    EXPECT_TRUE(bootstrap.ok() && device.ok());
    std::unique_ptr<bootstrap::Bootstrap> counted = *std::move(bootstrap);
    if (rank == 0) counted = std::make_unique<Counting>(std::move(counted), lookups_);
    auto engine = Engine::create({std::move(counted), *std::move(device)}, {.commit_world = false});
    EXPECT_TRUE(engine.ok()) << engine.status().to_string();
    return std::make_unique<Runtime>(*std::move(engine));
  }

  const Rank ranks_;
  std::optional<bootstrap::local::InProcessJob> job_;
  std::shared_ptr<device::sim::Fabric> fabric_;
  std::atomic<int> lookups_{0};
  std::vector<std::unique_ptr<Runtime>> others_;
};

// The least of three: what threads of the ranks have on the heap for a moment counts, too.
Cost least_cost(Rank ranks) {
  Cost least = Job(ranks).measure();
  for (int i = 1; i < 3; ++i) {
    const Cost next = Job(ranks).measure();
    EXPECT_EQ(next.start_lookups, least.start_lookups);
    EXPECT_EQ(next.talk_lookups, least.talk_lookups);
    least.start_bytes = std::min(least.start_bytes, next.start_bytes);
    least.talk_bytes = std::min(least.talk_bytes, next.talk_bytes);
  }
  return least;
}

// All of it the members of the world: their ranks and numbers, and where their memory will be found.
constexpr std::size_t kOfAMember = 48;  // bytes

TEST(ManyRanks, TalkingCostsByThePeersThatAreTalkedTo) {
  Job(16).measure();  // what is made once in a process
  const Cost few = least_cost(18);
  EXPECT_EQ(few.start_lookups, 0);
  EXPECT_EQ(few.talk_lookups, int(kPeers));
  for (const Rank ranks : {513u, 10'000u, bootstrap::local::kMaxRanks}) {
    const Cost many = least_cost(ranks);
    std::printf("%6u ranks: a rank starts with %zu bytes, %.1f for each member; %zu bytes to talk to %u of them\n",
                unsigned(ranks), many.start_bytes, double(many.start_bytes) / ranks, many.talk_bytes, unsigned(kPeers));
    EXPECT_EQ(many.start_lookups, 0) << ranks;
    EXPECT_EQ(many.talk_lookups, int(kPeers)) << ranks;
    // Three tables of pointers come in pieces of 256, of which distant peers share none; beyond that nothing may depend
    // on the size of the job.
    EXPECT_LE(many.talk_bytes, few.talk_bytes + kPeers * 3 * 256 * sizeof(void*)) << ranks;
    EXPECT_LE(many.start_bytes, few.start_bytes + (ranks - 18) * kOfAMember) << ranks;
  }
}

}  // namespace
}  // namespace polder::core
