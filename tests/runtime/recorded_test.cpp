// What stands in the traces of programs that run: bytes, outcomes, and nothing under names that are none.
#include "core/ranks.hpp"
#include "trace/analyse/analysis.hpp"
#include "trace/read/job.hpp"
#include "trace/report/stats.hpp"

#include <polder/trace.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace polder::test {
namespace {

using trace::Event;
using trace::EventKind;

class Recorded : public testing::Test {
 protected:
  Recorded() {
    std::string pattern = (std::filesystem::temp_directory_path() / "polder-recorded-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    directory_ = pattern;
    setenv("POLDER_TRACE", pattern.c_str(), 1);
  }
  ~Recorded() override {
    unsetenv("POLDER_TRACE");
    std::filesystem::remove_all(directory_);
  }

  template <class Body>
  static void run(Rank ranks, Body&& body) {
    const World world{SimulatedDevice::network, ranks, 2000, 0, true};
    Simulation simulation(world.ranks, world.options());
    run_ranks(simulation, [&](Runtime& rt) { body(rt, simulation); });
  }

  // Of `kind` at `rank`.
  std::vector<Event> events_of(Rank rank, EventKind kind) const {
    std::vector<Event> found;
    const auto file = trace::read_trace(trace::file_path(directory_, rank), [&](std::span<const Event> events) {
      for (const Event& event : events)
        if (event.kind == kind) found.push_back(event);
    });
    EXPECT_TRUE(ok(file));
    return found;
  }

  std::string directory_;
};

TEST_F(Recorded, ANameThatIsNoneLeavesNothing) {
  run(1, [](Runtime& rt, Simulation&) {
    const TraceName none(std::string(300, 'x').c_str());
    ASSERT_EQ(none.number(), 0);
    const Trace trace = Trace::of(rt);
    ASSERT_TRUE(trace.active());
    const TraceRegion region(trace, none);
    trace.mark(none, 7);
    trace.count(none, 8);
  });
  EXPECT_TRUE(events_of(0, EventKind::none).empty());
}

}  // namespace
}  // namespace polder::test
