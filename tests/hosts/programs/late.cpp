// late SECONDS: what is reported as failed must write nothing any more. Rank 1 puts rising numbers into the memory of
// the last rank and gets from there; the last rank watches its memory. Times are those of the steady clock, which all
// hosts of one machine share:
//   ready RANK
//   failed TIME       rank 1: an operation returned peer_failed
//   intact | scribbled    rank 1: the memory of the failed get, overwritten by its owner and looked at in the end
//   changed TIME      last rank: when its memory changed last
#include <polder/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace polder;

constexpr std::size_t kBytes = std::size_t{1} << 20;
constexpr auto kStartLimit = 60s;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Puts and gets until one of them fails for good; those that time out are waited for again.
Status work(Runtime& rt, Rank target, std::vector<std::byte>& got, double end) {
  std::vector<std::uint64_t> numbers(kBytes / 8);
  for (std::uint64_t turn = 1; now() < end; ++turn) {
    std::fill(numbers.begin(), numbers.end(), turn);
    Status status = rt.put(numbers.data(), {target, 0, 0}, kBytes, Post(Timeout(200ms)));
    if (status.ok()) status = rt.get(got.data(), {target, 0, 0}, kBytes, Post(Timeout(200ms)));
    while (status.ok() || status.timed_out()) {
      status = rt.wait_for(target, Completion::remote, 200ms);
      if (status.ok() || now() > end) break;
    }
    if (status.code() == Code::peer_failed) return status;
  }
  return {};
}

void write(Runtime& rt, double end) {
  std::vector<std::byte> got(kBytes);
  const Status status = work(rt, rt.size() - 1, got, end);
  if (status.ok()) return;
  std::fill(got.begin(), got.end(), std::byte{0xAB});
  std::printf("failed %.3f\n", now());
  while (now() < end) std::this_thread::sleep_for(50ms);
  const bool intact = std::all_of(got.begin(), got.end(), [](std::byte b) { return b == std::byte{0xAB}; });
  std::puts(intact ? "intact" : "scribbled");
}

void watch(const Segment& segment, double end) {
  std::vector<std::byte> before(kBytes);
  double changed = now();
  while (now() < end) {
    if (!std::equal(before.begin(), before.end(), segment.data)) {
      changed = now();
      std::copy_n(segment.data, kBytes, before.begin());
    }
    std::this_thread::sleep_for(2ms);
  }
  std::printf("changed %.3f\n", changed);
}

int complain(const char* what, const Status& status) {
  std::printf("wrong: %s: %s\n", what, status.to_string().c_str());
  return EXIT_FAILURE;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "usage: late SECONDS\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto runtime = Runtime::create({.timeout = kStartLimit});
  if (!runtime.ok()) return complain("start", runtime.status());
  Runtime& rt = **runtime;
  auto segment = rt.create_segment({.size = kBytes, .id = 0}, rt.world(), kStartLimit);
  if (!segment.ok()) return complain("segment", segment.status());
  std::printf("ready %u\n", rt.rank());
  const double end = now() + std::atof(words[1]);
  if (rt.rank() == 1) write(rt, end);
  if (rt.rank() == rt.size() - 1) watch(*segment, end);
  while (now() < end) std::this_thread::sleep_for(50ms);
  return EXIT_SUCCESS;
}
