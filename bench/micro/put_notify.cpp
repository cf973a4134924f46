#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <thread>
#include <vector>

namespace bench {
namespace {

constexpr polder::NotificationId kFlag = 0;

void ping_pong(PolderWorld& world, const Arguments& arguments, std::size_t size) {
  const SharedSegment segment(world, 2 * size);
  polder::Runtime& rt = world.runtime();
  const polder::GlobalAddress target = segment.at(1 - world.rank(), size);
  const auto tell = [&] { world.must("put_notify", rt.put_notify(segment.mine(), target, size, {.id = kFlag})); };
  const auto await = [&] {
    world.must("wait_some", rt.wait_some(SharedSegment::kId, kFlag, 1, kPatience));
    world.must("reset", rt.reset(SharedSegment::kId, kFlag));
  };
  auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations && world.rank() < 2; ++i) {
      if (world.rank() == 0) tell();
      await();
      if (world.rank() == 1) tell();
    }
    world.must("wait", rt.queue().wait(polder::Completion::local, kPatience));
  });
  for (double& ns : samples) ns /= 2;  // there and back
  if (world.rank() == 0) report({.name = "put_notify", .ranks = world.size(), .size = size, .samples = samples});
}

// `threads` threads of rank 0 send to flags and words of their own; nobody waits for them at rank 1.
void send_from(PolderWorld& world, const Arguments& arguments, int threads) {
  constexpr std::size_t kSpacing = 128;
  const SharedSegment segment(world, kSpacing * std::size_t(threads));
  polder::Runtime& rt = world.runtime();
  const auto send = [&](int thread, std::uint64_t count) {
    const auto offset = kSpacing * std::size_t(thread);
    const polder::Notification flag{.id = polder::NotificationId(thread) * 32};  // a line away from the next one's
    for (std::uint64_t i = 0; i < count; ++i)
      world.must("put_notify", rt.put_notify(segment.mine() + offset, segment.at(1, offset), 8, flag));
  };
  auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(send, thread, iterations);
    send(0, iterations);
    others.clear();  // joins
    world.must("wait", rt.queue().wait(polder::Completion::remote, kPatience));
  });
  for (double& ns : samples) ns /= threads;
  if (world.rank() == 0)
    report({.name = "rate", .ranks = world.size(), .size = 8, .threads = threads, .samples = samples});
}

}  // namespace

void measure_put_notify(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 4 << 10, 64 << 10})) ping_pong(world, arguments, size);
}

void measure_rate(PolderWorld& world, const Arguments& arguments) {
  for (const int threads : {1, 4}) send_from(world, arguments, threads);
}

}  // namespace bench
