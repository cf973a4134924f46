// Orders: what strict and partial promise holds over a network that reorders on purpose, and does not hold without
// them: each check runs once with the promise, where it must never be broken, and once without, where it must be broken
// for some seed. So a promise that is silently weakened fails here.
#include "core/ranks.hpp"
#include "util/platform.hpp"

#include <functional>

namespace polder::test {
namespace {

constexpr std::size_t kWords = 16;
constexpr std::uint64_t kRounds = 24;

struct Job {
  Runtime& rt;
  Ordering ordering;
  std::span<const std::uint64_t> own;  // of this rank's segment

  Post how(Handle* handle = nullptr) const {
    Post post(kPatience);
    post.ordering = ordering;
    post.handle = handle;
    return post;
  }
  GlobalAddress word(std::size_t i) const { return {1, 1, i * 8}; }
};

// Rank 0 calls `provoke` some times; it says how often the order was broken.
using Provoke = std::function<int(const Job&, std::uint64_t round)>;

int violations(SimulatedDevice device, std::uint64_t seed, Ordering ordering, const Provoke& provoke,
               Ordering of_runtime = Ordering::inherit) {
  SimulationOptions options{.device = device, .seed = seed, .min_delay_ns = 1000, .max_delay_ns = 400'000};
  options.runtime.ordering = of_runtime;
  int broken = 0;
  run_ranks(2, options, [&](Runtime& rt) {
    auto segment = rt.create_segment({.size = kWords * 8, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    if (rt.rank() != 0) return;
    const Job job{rt, ordering, segment->as<std::uint64_t>()};
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      broken += provoke(job, round);
      EXPECT_TRUE(ok(rt.fence_all(kPatience)));
    }
  });
  return broken;
}

constexpr std::uint64_t kSeeds = 3;

void expect_kept(Ordering ordering, const Provoke& provoke) {
  for (const SimulatedDevice device : {SimulatedDevice::network, SimulatedDevice::messages})
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
      EXPECT_EQ(violations(device, seed, ordering, provoke), 0) << "seed " << seed << ", device " << int(device);
}

// Without the promise two operations meet at the same bytes, by different threads of the simulation: that is the race
// which the order forbids, and the thread sanitizer is right to tell of it. So under it only the promises are checked.
void expect_broken(Ordering ordering, const Provoke& provoke, Ordering of_runtime = Ordering::inherit) {
  if (util::kThreadSanitizer) return;
  int broken = 0;
  for (std::uint64_t seed = 1; seed <= 5 * kSeeds && broken == 0; ++seed)
    broken += violations(SimulatedDevice::network, seed, ordering, provoke, of_runtime);
  EXPECT_GT(broken, 0) << "the network was kind: the check proves nothing";
}

std::uint64_t read(const Job& job, std::size_t word) {
  std::uint64_t value = 0;
  Handle handle;
  EXPECT_TRUE(ok(job.rt.get(&value, job.word(word), 8, job.how(&handle))));
  EXPECT_TRUE(ok(handle.wait(Completion::local, kPatience)));
  return value;
}

// ---- the hazards ----

int get_after_put(const Job& job, std::uint64_t round) {
  EXPECT_TRUE(ok(job.rt.put(&round, job.word(0), 8, job.how())));
  const int broken = read(job, 0) != round;
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));  // before `round` goes
  return broken;
}

int get_after_accumulate(const Job& job, std::uint64_t round) {
  const std::uint64_t one = 1;
  EXPECT_TRUE(ok(job.rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, &one, job.word(1), 8, job.how())));
  const int broken = read(job, 1) != round;
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));
  return broken;
}

int put_after_put(const Job& job, std::uint64_t round) {
  const std::uint64_t values[] = {round * 10 + 1, round * 10 + 2, round * 10 + 3};
  for (const std::uint64_t& value : values) EXPECT_TRUE(ok(job.rt.put(&value, job.word(2), 8, job.how())));
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));
  return read(job, 2) != values[2];
}

int put_after_accumulate(const Job& job, std::uint64_t round) {
  const std::uint64_t seven = 7, value = round << 32;
  EXPECT_TRUE(
      ok(job.rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, &seven, job.word(3), 8, job.how())));
  EXPECT_TRUE(ok(job.rt.put(&value, job.word(3), 8, job.how())));
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));
  return read(job, 3) != value;
}

int accumulate_after_put(const Job& job, std::uint64_t round) {
  const std::uint64_t seven = 7, value = round << 32;
  EXPECT_TRUE(ok(job.rt.put(&value, job.word(4), 8, job.how())));
  EXPECT_TRUE(
      ok(job.rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, &seven, job.word(4), 8, job.how())));
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));
  return read(job, 4) != value + 7;
}

int put_after_get(const Job& job, std::uint64_t round) {
  std::uint64_t before = 0;
  Handle handle;
  EXPECT_TRUE(ok(job.rt.get(&before, job.word(5), 8, job.how(&handle))));
  EXPECT_TRUE(ok(job.rt.put(&round, job.word(5), 8, job.how())));
  EXPECT_TRUE(ok(handle.wait(Completion::local, kPatience)));
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));
  return before != round - 1;
}

// A patch whose rows are wider apart than they are long, read back through a contiguous get.
int get_after_strided_put(const Job& job, std::uint64_t round) {
  const std::uint64_t rows[] = {round, round + 1, round + 2};
  const std::size_t count[] = {3};
  const std::ptrdiff_t here[] = {8}, there[] = {16};
  const Strided patch{.bytes = 8, .counts = count, .local_stride = here, .remote_stride = there};
  EXPECT_TRUE(ok(job.rt.put(rows, job.word(8), Shape(patch), job.how())));
  std::uint64_t seen[5] = {};
  Handle handle;
  EXPECT_TRUE(ok(job.rt.get(seen, job.word(8), 40, job.how(&handle))));
  EXPECT_TRUE(ok(handle.wait(Completion::local, kPatience)));
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));
  return seen[0] != rows[0] || seen[2] != rows[1] || seen[4] != rows[2];
}

int atomic_after_put(const Job& job, std::uint64_t round) {
  const std::uint64_t value = round * 100;
  EXPECT_TRUE(ok(job.rt.put(&value, job.word(6), 8, job.how())));
  const auto old = job.rt.fetch_add<std::uint64_t>(job.word(6), 1, kPatience);
  EXPECT_TRUE(ok(old));
  EXPECT_TRUE(ok(job.rt.fence_all(kPatience)));
  return old.value_or(0) != value;
}

// Kept back by an aggregate handle, and sent before a strict get looks.
int get_after_aggregated_put(const Job& job, std::uint64_t round) {
  Handle handle(Handle::Kind::aggregate);
  const std::uint64_t first = round * 2, second = round * 2 + 1;
  EXPECT_TRUE(ok(job.rt.put(&first, job.word(7), 8, job.how(&handle))));
  EXPECT_TRUE(ok(job.rt.put(&second, job.word(7), 8, job.how(&handle))));
  const int broken = read(job, 7) != second;
  EXPECT_TRUE(ok(handle.wait(Completion::remote, kPatience)));
  return broken;
}

// The second put joins none of what its handle has kept back since before the first.
int put_after_put_of_another_handle(const Job& job, std::uint64_t round) {
  Handle one(Handle::Kind::aggregate), other(Handle::Kind::aggregate);
  const std::uint64_t first = round * 2, second = round * 2 + 1;
  EXPECT_TRUE(ok(job.rt.put(&first, job.word(13), 8, job.how(&one))));
  EXPECT_TRUE(ok(job.rt.put(&first, job.word(14), 8, job.how(&other))));
  EXPECT_TRUE(ok(job.rt.put(&second, job.word(14), 8, job.how(&one))));
  EXPECT_TRUE(ok(one.wait(Completion::remote, kPatience)));
  EXPECT_TRUE(ok(other.wait(Completion::remote, kPatience)));
  return read(job, 14) != second;
}

// ---- strict ----

TEST(StrictOrder, GetsSeePuts) {
  expect_kept(Ordering::strict, get_after_put);
  expect_broken(Ordering::unordered, get_after_put);
  expect_broken(Ordering::partial, get_after_put);
}

TEST(StrictOrder, GetsSeeAccumulates) {
  expect_kept(Ordering::strict, get_after_accumulate);
  expect_broken(Ordering::partial, get_after_accumulate);
}

TEST(StrictOrder, PutsFollowPuts) {
  expect_kept(Ordering::strict, put_after_put);
  expect_broken(Ordering::unordered, put_after_put);
}

TEST(StrictOrder, PutsFollowAccumulates) {
  expect_kept(Ordering::strict, put_after_accumulate);
  expect_broken(Ordering::unordered, put_after_accumulate);
}

TEST(StrictOrder, AccumulatesFollowPuts) {
  expect_kept(Ordering::strict, accumulate_after_put);
  expect_broken(Ordering::unordered, accumulate_after_put);
}

TEST(StrictOrder, PutsFollowGets) {
  expect_kept(Ordering::strict, put_after_get);
  expect_broken(Ordering::unordered, put_after_get);
}

TEST(StrictOrder, HoldsForPatches) {
  expect_kept(Ordering::strict, get_after_strided_put);
  expect_broken(Ordering::unordered, get_after_strided_put);
}

TEST(StrictOrder, HoldsForAggregates) {
  expect_kept(Ordering::strict, get_after_aggregated_put);
  expect_broken(Ordering::unordered, get_after_aggregated_put);
}

TEST(StrictOrder, HoldsBetweenAggregates) {
  expect_kept(Ordering::strict, put_after_put_of_another_handle);
  expect_broken(Ordering::unordered, put_after_put_of_another_handle);
}

TEST(StrictOrder, AtomicsFollowPuts) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    EXPECT_EQ(violations(SimulatedDevice::network, seed, Ordering::inherit, atomic_after_put, Ordering::strict), 0);
  expect_broken(Ordering::inherit, atomic_after_put, Ordering::unordered);
}

// ---- partial ----

TEST(PartialOrder, PutsFollowPuts) {
  expect_kept(Ordering::partial, put_after_put);
  expect_broken(Ordering::unordered, put_after_put);
}

// ---- per runtime, per operation ----

TEST(OrderOfTheRuntime, IsThatOfOperationsThatNameNone) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    EXPECT_EQ(violations(SimulatedDevice::network, seed, Ordering::inherit, get_after_put, Ordering::strict), 0);
}

TEST(OrderOfTheRuntime, GivesWayToThatOfTheOperation) {
  expect_broken(Ordering::unordered, get_after_put, Ordering::strict);
}

}  // namespace
}  // namespace polder::test
