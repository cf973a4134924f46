// A directory of its own for each test, and short ways to make recorders and to read back what they wrote.
#pragma once

#include "trace/read/reader.hpp"
#include "trace/record/recorder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace polder::trace {

// A time that tests set; recorders take it as it is, so that events may say any nanosecond.
class FixedTime final : public util::VirtualTime {
 public:
  std::int64_t now_ns() const override {
    ++reads;
    return now;
  }
  std::uint64_t draw() override { return 0; }
  std::shared_ptr<Task> start(std::string, std::function<void()>) override { return nullptr; }
  void join(Task&) override {}

  std::int64_t now = 0;
  mutable unsigned reads = 0;
};

class TraceTest : public testing::Test {
 protected:
  TraceTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "polder-trace-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    directory_ = pattern;
  }
  ~TraceTest() override { std::filesystem::remove_all(directory_); }

  RecorderOptions options(Rank rank = 0, Rank size = 1) const {
    return {.directory = directory_,
            .rank = rank,
            .size = size,
            .job = 42,
            .host = "node7",
            .ring_events = 16,
            .clock = util::Clock(time_)};
  }

  static std::unique_ptr<Recorder> open(const RecorderOptions& options) {
    auto recorder = Recorder::open(options);
    EXPECT_TRUE(recorder.ok()) << recorder.status().to_string();
    return recorder ? *std::move(recorder) : nullptr;
  }

  struct Contents {
    TraceFile file;
    std::vector<Event> events;
  };

  Contents read(Rank rank = 0) const {
    Contents contents;
    auto file = read_trace(file_path(directory_, rank), [&](std::span<const Event> events) {
      contents.events.insert(contents.events.end(), events.begin(), events.end());
    });
    EXPECT_TRUE(file.ok()) << file.status().to_string();
    if (file) contents.file = *std::move(file);
    return contents;
  }

  std::string directory_;
  mutable FixedTime time_;
};

// An event that lasts from begin to end microseconds.
inline Event event_at(EventKind kind, std::int64_t begin_us, std::int64_t end_us, const Details& details = {}) {
  return make_event(kind, Phase::span, begin_us * 1000, end_us * 1000, details);
}

}  // namespace polder::trace
