// Two cores that exchange pieces of 64 kB over memory which each writes again and again and the other one reads: through the cache, and past
// it. How far the cores are from each other decides which is sooner, and a virtual machine's may be moved meanwhile.
#include "common/clock.hpp"
#include "common/keep.hpp"
#include "common/report.hpp"
#include "common/shared_world.hpp"
#include "limits/limits.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bench {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr std::uint64_t kDesks = 4, kAhead = 3;  // pieces that have room; that a writer is ahead
constexpr std::uint64_t kPieces = 1 << 10;       // of a sample

struct alignas(128) Progress {
  std::atomic<std::uint64_t> written, taken;
};
struct Side {
  Progress progress;
  alignas(4096) std::byte desks[kDesks * kPiece];
};

using Copy = void (*)(std::byte* to, const std::byte* from);

void through_cache(std::byte* to, const std::byte* from) {
  std::memcpy(to, from, kPiece);
}

#if defined(__SSE2__)
void past_cache(std::byte* to, const std::byte* from) {
  for (std::size_t at = 0; at < kPiece; at += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  _mm_sfence();
}
#endif

// Nanoseconds that a piece took, written and read.
struct Times {
  std::vector<double> write, read;
};

class Exchange {
 public:
  explicit Exchange(SharedWorld& world)
      : world_(world),
        mine_(reinterpret_cast<Side*>(world.memory())[world.rank()]),
        theirs_(reinterpret_cast<Side*>(world.memory())[1 - world.rank()]),
        own_(kPiece),
        read_(kPiece) {}

  void sample(Copy write, Times& times) {
    world_.barrier();
    const std::uint64_t end = taken_ + kPieces;
    std::int64_t writing = 0, reading = 0;
    while (taken_ < end) {
      for (; written_ < end && written_ < taken_ + kAhead; ++written_) writing += put(write);
      reading += take();
    }
    times.write.push_back(double(writing) / kPieces);
    times.read.push_back(double(reading) / kPieces);
  }

 private:
  std::int64_t put(Copy write) {
    while (written_ >= theirs_.progress.taken.load(std::memory_order_acquire) + kDesks) {
    }
    const std::int64_t begin = now_ns();
    write(mine_.desks + written_ % kDesks * kPiece, own_.data());
    const std::int64_t took = now_ns() - begin;
    mine_.progress.written.store(written_ + 1, std::memory_order_release);
    return took;
  }
  std::int64_t take() {
    while (theirs_.progress.written.load(std::memory_order_acquire) <= taken_) {
    }
    const std::int64_t begin = now_ns();
    std::memcpy(read_.data(), theirs_.desks + taken_ % kDesks * kPiece, kPiece);
    keep(read_.data());
    const std::int64_t took = now_ns() - begin;
    mine_.progress.taken.store(++taken_, std::memory_order_release);
    return took;
  }

  SharedWorld& world_;
  Side &mine_, &theirs_;
  std::vector<std::byte> own_, read_;
  std::uint64_t written_ = 0, taken_ = 0;
};

void report_both(const SharedWorld& world, const char* write, const char* read, const Times& times) {
  if (world.rank() != 0) return;
  report({.name = write, .ranks = 2, .size = kPiece, .samples = times.write});
  report({.name = read, .ranks = 2, .size = kPiece, .samples = times.read});
}

}  // namespace

void measure_outward(Machine& machine, const Arguments& arguments) {
  if (machine.cores.size() < 2) {
    std::fprintf(stderr, "bench-limits: outward needs two cores; skipped\n");
    return;
  }
  run_processes({machine.cores[0], machine.cores[1]}, 2 * sizeof(Side), [&](SharedWorld& world) {
    Exchange exchange(world);
    Times through, past, first;
    exchange.sample(through_cache, first);
    for (int i = 0; i < arguments.plan.repetitions; ++i) {
      exchange.sample(through_cache, through);
#if defined(__SSE2__)
      exchange.sample(past_cache, past);
#endif
    }
    report_both(world, "outward_write", "outward_read", through);
    if (!past.write.empty()) report_both(world, "outward_write_past_cache", "outward_read_past_cache", past);
  });
}

}  // namespace bench
