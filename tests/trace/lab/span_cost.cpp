#include "span_cost.hpp"

#include "common/keep.hpp"
#include "common/report.hpp"
#include "trace/record/recorder.hpp"
#include "trace/record/span.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace bench {

namespace {

using namespace polder::trace;

// A world of this thread.
struct Solo {
  int rank() const { return 0; }
  int size() const { return 1; }
  void barrier() {}
  std::uint64_t from_zero(std::uint64_t value) { return value; }
  std::uint64_t largest(std::uint64_t value) { return value; }
};

// A call that does next to nothing, as the library's calls look when nothing is traced, and when everything is.
[[gnu::noinline]] void call(Recorder* recorder, std::uint64_t& memory) {
  const Span span(recorder, EventKind::put, {.peer = 1, .segment = 2, .bytes = 8, .queue = 0});
  memory += 1;
  keep(&memory);
}

// The same without a question, to which "off" is compared.
[[gnu::noinline]] void plain_call(std::uint64_t& memory) {
  memory += 1;
  keep(&memory);
}

// What no recording of both ends can do without: two time stamps, and the event written to memory.
[[gnu::noinline]] void least_call(Recorder& recorder, std::vector<Event>& events, std::uint64_t number,
                                  std::uint64_t& memory) {
  const std::int64_t begin = recorder.now();
  memory += 1;
  keep(&memory);
  events[number % events.size()] =
      make_event(EventKind::put, Phase::span, begin, recorder.now(), {.peer = 1, .bytes = 8});
}

// Files are bounded: what comes later is written to nowhere, and costs the call the same.
std::unique_ptr<Recorder> open_recorder(const std::string& directory) {
  auto recorder = Recorder::open({.directory = directory, .host = "here", .file_limit = 64 << 20});
  if (recorder.ok()) return *std::move(recorder);
  std::fprintf(stderr, "%s\n", recorder.status().to_string().c_str());
  std::exit(1);
}

}  // namespace

void measure_span(const Arguments& arguments) {
  std::string directory = (std::filesystem::temp_directory_path() / "polder-span-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) std::exit(1);
  {
    const auto recorder = open_recorder(directory);
    std::uint64_t memory = 0;
    const auto calls = [&](Recorder* to) {
      return [&memory, to](std::uint64_t iterations) {
        for (std::uint64_t i = 0; i < iterations; ++i) call(to, memory);
      };
    };
    std::vector<Event> events(1024);  // in the nearest cache
    const auto plain = [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) plain_call(memory);
    };
    const auto least = [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) least_call(*recorder, events, i, memory);
    };
    Solo world;
    const auto without = sample_in_turn(world, arguments.plan, plain, calls(nullptr));
    report({.name = "no_span", .samples = without[0]});
    report({.name = "span_off", .samples = without[1]});
    const auto with = sample_in_turn(world, arguments.plan, least, calls(recorder.get()));
    report({.name = "two_stamps_and_a_store", .samples = with[0]});
    report({.name = "span_on", .samples = with[1]});
  }
  std::filesystem::remove_all(directory);
}

}  // namespace bench
