// The page of a report, as text: what it holds, that it needs nothing from elsewhere, and that it stays small.
#include "trace/report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace polder::trace {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMostBytes = 5'000'000;

Loss example_loss() {
  return {.cause = Cause::imbalance,
          .ns = 1'500'000,
          .ranks = {0, 1, 3},
          .culprit = 2,
          .call = "barrier",
          .times = 3,
          .longest = {0, 500'000, 1'000'000},
          .sentence = "ranks 0, 1, 3 waited 1.5 ms in barrier for rank 2, 3 times.",
          .way_out = "Give the late rank less work."};
}

Timeline timeline_of(std::size_t rows, std::size_t bins, Rank ranks_per_row = 1) {
  Timeline timeline;
  timeline.bins = bins;
  timeline.ranks_per_row = ranks_per_row;
  timeline.rows.assign(rows, std::vector<std::array<float, kActivities>>(bins, {1, 2, 3, 4, 5, 6}));
  return timeline;
}

Analysis small() {
  Analysis analysis;
  analysis.duration_ns = 1'001'000;
  analysis.ranks = 4;
  analysis.losses.push_back(example_loss());
  analysis.timeline = timeline_of(4, 64);
  for (Rank rank = 0; rank < 4; ++rank) {
    RankProfile profile;
    profile.rank = rank;
    profile.calls["barrier"] = {1, 500'000, 0, 0};
    analysis.profiles.push_back(profile);
  }
  return analysis;
}

std::string long_name(std::size_t number) {
  return std::to_string(number) + std::string(255, '"');  // a byte that JSON writes as two
}

void add_calls(RankProfile& profile) {
  for (std::size_t call = 0; call < 1000; ++call)
    profile.calls[long_name(call)] = {~0u, INT64_MAX / 1'000'000, ~0u, 1};  // all together a number
}

// As much of everything as an analysis keeps, and more.
Analysis huge() {
  Analysis analysis;
  analysis.duration_ns = INT64_MAX / 2;
  analysis.ranks = 1'000'000;
  analysis.timeline = timeline_of(256, 512, 3907);
  for (Rank rank = 0; rank < 300; ++rank) {
    RankProfile profile;
    profile.rank = rank * 3000;
    profile.host = long_name(rank);
    add_calls(profile);
    analysis.profiles.push_back(std::move(profile));
  }
  for (std::size_t i = 0; i < 1000; ++i) analysis.durations[long_name(i)].fill(~std::uint64_t{0} >> 12);
  for (Rank from = 0; from < 400; ++from)
    for (Rank to = 0; to < 400; ++to) analysis.traffic[{from * 2500, to * 2500}] = {1ull << 50, 1ull << 40, 1ll << 50};
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t counter = 0; counter < 8; ++counter)
      analysis.hardware[long_name(i)].counts[long_name(counter)] = ~0ull;
  for (std::size_t i = 0; i < 20; ++i) analysis.counters[long_name(i)].bins.assign(100, {1, ~0ull, ~0ull, 0x1p64});
  for (std::size_t i = 0; i < 6000; ++i)
    analysis.longest.push_back(
        {999'999, 65535, long_name(i), EventKind::put, INT64_MAX / 4, INT64_MAX / 3, 999'999, 1ull << 60});
  for (std::size_t i = 0; i < 3000; ++i)
    analysis.waits.push_back({999'999, 999'998, INT64_MAX / 4, INT64_MAX / 3, INT64_MAX / 3});
  for (std::size_t i = 0; i < 4000; ++i) analysis.path_pieces.push_back({999'999, INT64_MAX / 4, INT64_MAX / 3});
  for (std::size_t i = 0; i < 2000; ++i) analysis.path_calls.push_back({999'999, long_name(i), INT64_MAX / 4});
  for (std::size_t i = 0; i < 100'000; ++i)
    analysis.remarks.push_back("rank " + std::to_string(i) + " " + long_name(i));
  return analysis;
}

TEST(Page, SaysLossesInWordsAndHasTheNumbers) {
  const std::string page = page_html(small(), "Trace of /tmp/t");
  EXPECT_THAT(page, HasSubstr("ranks 0, 1, 3 waited 1.5 ms in barrier for rank 2"));
  EXPECT_THAT(page, HasSubstr("Give the late rank less work."));
  EXPECT_THAT(page, HasSubstr("\"longest\":[0,500000,1000000]"));
  EXPECT_THAT(page, HasSubstr("<title>Trace of /tmp/t</title>"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Page, NeedsNothingFromElsewhere) {
  const std::string page = page_html(small(), "t");
  for (const char* elsewhere : {"http:", "https:", " src=", "@import", "url(", "<link", "fetch("})
    EXPECT_THAT(page, Not(HasSubstr(elsewhere)));
}

TEST(Page, NamesOfAProgramCannotEndTheScript) {
  Analysis analysis = small();
  const std::string name = "</script><script>alert(1)</script>{{data}}\xff";
  analysis.profiles[0].calls[name] = {1, 1'000'000'000, 0, 0};
  analysis.longest.push_back({0, 0, name, EventKind::region, 1, 2, kNoPeer, 0});
  const std::string plain = page_html(small(), "t"), page = page_html(analysis, "<script>alert(2)</script>{{data}}");
  const auto count = [](const std::string& text, const char* what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(page, "</script>"), count(plain, "</script>"));
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "\"ranks\":4,\"events\""), 1u);
}

TEST(Page, StaysBelowFiveMegabytesWhateverTheTrace) {
  const std::string page = page_html(huge(), "t");
  EXPECT_LT(page.size(), kMostBytes);
  EXPECT_THAT(page, HasSubstr("more, which polder trace stats prints"));
  EXPECT_THAT(page, HasSubstr("[0,18446744073709551615,18446744073709549568,18446744073709551615]"));
}

TEST(Page, HasCountersOfTheProcessorByRegionAndTheProgramsOverTime) {
  Analysis analysis = small();
  analysis.hardware["sweep"] = {3, {{"cycles", 1200}, {"page-faults", 7}}};
  CounterCurve& curve = analysis.counters["residual"];
  curve.bins.resize(4);
  curve.bins[2] = curve.all = {2, 10, 40, 50};
  const std::string data = page_data(analysis);
  EXPECT_THAT(data, HasSubstr(R"("hardware":[{"region":"sweep","times":3,"counts":{"cycles":1200,"page-faults":7}}])"));
  EXPECT_THAT(data, HasSubstr(R"("name":"residual","events":2,"least":10,"most":40)"));
  EXPECT_THAT(data, HasSubstr(R"("curve":[[2,10,25,40]])"));
}

TEST(Page, OfAnEmptyTrace) {
  Analysis empty;
  empty.ranks = 1;
  empty.timeline = timeline_of(1, 64);
  const std::string data = page_data(empty);
  EXPECT_THAT(data, HasSubstr("\"losses\":[]"));
  EXPECT_THAT(data, HasSubstr("\"table\":[]"));
}

TEST(Page, CallsBeyondTheTableAreSummedUpAsOthers) {
  Analysis analysis = small();
  for (int i = 0; i < 100; ++i) analysis.profiles[1].calls["call " + std::to_string(i)] = {2, 1000, 0, 0};
  EXPECT_THAT(page_data(analysis), HasSubstr("\"name\":\"others\",\"count\":82,\"ns\":41000"));
}

}  // namespace
}  // namespace polder::trace
