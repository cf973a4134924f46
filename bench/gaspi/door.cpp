#include "gaspi/measurements.hpp"

#include <polder/runtime.hpp>

#include <chrono>
#include <thread>
#include <vector>

namespace bench {
namespace {

constexpr gaspi_queue_id_t kQueue = 0;
constexpr polder::SegmentId kCppSegment = 1;
constexpr polder::Timeout kCppPatience = std::chrono::seconds(60);

void write_notify(const GaspiWorld& world, gaspi_offset_t offset, gaspi_notification_id_t flag) {
  gaspi_return_t code;
  while ((code = gaspi_write_notify(GaspiSegment::kId, offset, 1, GaspiSegment::kId, offset, 8, flag, 1, kQueue,
                                    kGaspiPatience)) == GASPI_QUEUE_FULL) {
    world.must("gaspi_wait", gaspi_wait(kQueue, kGaspiPatience));
  }
  world.must("gaspi_write_notify", code);
}

void ensure(const polder::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench-gaspi: %s\n", status.to_string().c_str());
  std::_Exit(EXIT_FAILURE);
}

// The same in the terms of C++, over a runtime beside that of the interface.
class CppSide {
 public:
  CppSide() : runtime_(join()) {
    auto segment = runtime_->create_segment({.size = 64, .id = kCppSegment}, runtime_->world(), kCppPatience);
    ensure(segment.status());
    memory_ = segment->data;
  }

  void write_notify() { ensure(runtime_->put_notify(memory_, {1, kCppSegment, 0}, 8, {.id = 0})); }
  void wait() { ensure(runtime_->queue().wait(polder::Completion::local, kCppPatience)); }

 private:
  static std::unique_ptr<polder::Runtime> join() {
    auto joined = polder::Runtime::create();
    ensure(joined.status());
    return *std::move(joined);
  }

  std::unique_ptr<polder::Runtime> runtime_;
  std::byte* memory_ = nullptr;
};

void report_small(const GaspiWorld& world, const char* name, const std::vector<double>& samples, int threads = 1) {
  if (world.rank() == 0)
    report({.name = name, .ranks = world.size(), .size = 8, .threads = threads, .samples = samples});
}

void send_from(GaspiWorld& world, const Arguments& arguments, int threads) {
  constexpr gaspi_offset_t kSpacing = 128;
  const GaspiSegment segment(world, kSpacing * gaspi_size_t(threads));
  const auto send = [&](int thread, std::uint64_t count) {
    const auto flag = gaspi_notification_id_t(thread) * 32;  // a line away from the next one's
    for (std::uint64_t i = 0; i < count; ++i) write_notify(world, kSpacing * gaspi_offset_t(thread), flag);
  };
  auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(send, thread, iterations);
    send(0, iterations);
    others.clear();  // joins
    world.must("gaspi_wait", gaspi_wait(kQueue, kGaspiPatience));
  });
  for (double& ns : samples) ns /= threads;
  report_small(world, "gaspi_rate", samples, threads);
}

}  // namespace

void measure_door(GaspiWorld& world, const Arguments& arguments) {
  const GaspiSegment segment(world, 64);
  CppSide below;
  const auto through = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) write_notify(world, 0, 0);
    world.must("gaspi_wait", gaspi_wait(kQueue, kGaspiPatience));
  });
  const auto beside = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) below.write_notify();
    below.wait();
  });
  world.barrier();  // rank 0 still writes to the others
  report_small(world, "gaspi_write_notify", through);
  report_small(world, "cpp_put_notify", beside);
}

void measure_waitsome(GaspiWorld& world, const Arguments& arguments) {
  constexpr gaspi_notification_id_t kFlags = 65536;
  const GaspiSegment segment(world, 64);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations && world.rank() == 0; ++i) {
      gaspi_notification_id_t first = 0;
      gaspi_notification_t value = 0;
      world.must("gaspi_notify", gaspi_notify(GaspiSegment::kId, 0, kFlags - 1, 1, kQueue, kGaspiPatience));
      world.must("gaspi_notify_waitsome", gaspi_notify_waitsome(GaspiSegment::kId, 0, kFlags, &first, kGaspiPatience));
      world.must("gaspi_notify_reset", gaspi_notify_reset(GaspiSegment::kId, first, &value));
      world.must("gaspi_wait", gaspi_wait(kQueue, kGaspiPatience));
    }
  });
  if (world.rank() == 0)
    report({.name = "gaspi_waitsome", .ranks = world.size(), .size = std::size_t{4} * kFlags, .samples = samples});
}

void measure_gaspi_rate(GaspiWorld& world, const Arguments& arguments) {
  for (const int threads : {1, 4, 16}) send_from(world, arguments, threads);
}

}  // namespace bench
