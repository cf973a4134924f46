// What `polder top` and the launcher say of a snapshot.
#include "live/words.hpp"

#include "live/process_state.hpp"
#include "util/shared_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace polder::cli {
namespace {

using bootstrap::LongWait;
using bootstrap::local::JobPage;
using bootstrap::local::RankState;
using testing::ElementsAre;
using testing::HasSubstr;

RankView view_of(Rank rank, char process, RankState state = RankState::attached) {
  return {.rank = rank, .state = state, .wait = {}, .waited_s = 0, .process = process, .rates = {}};
}

RankView waiting(Rank rank, double seconds, const std::string& what, const std::vector<Rank>& whom) {
  RankView view = view_of(rank, 'S');
  view.wait.emplace();
  view.wait->say(what);
  for (const Rank each : whom) view.wait->wait_for(each);
  view.waited_s = seconds;
  return view;
}

TEST(Words, NamesOfRanks) {
  const auto names = [](std::vector<Rank> ranks) { return rank_names(ranks); };
  EXPECT_EQ(names({3}), "rank 3");
  EXPECT_EQ(names({1, 2}), "ranks 1, 2");
  EXPECT_EQ(names({0, 3, 4, 5, 9}), "ranks 0, 3 to 5, 9");
}

TEST(Words, Durations) {
  EXPECT_EQ(duration_text(0.35), "350 ms");
  EXPECT_EQ(duration_text(2.54), "2.5 s");
  EXPECT_EQ(duration_text(41.4), "41 s");
}

TEST(Words, RanksThatDoTheSameAreNamedTogetherLongestFirst) {
  Snapshot snapshot{.at_ns = 1, .ranks = {}};
  snapshot.ranks.push_back(waiting(0, 3, "in barrier of the world", {2}));
  snapshot.ranks.push_back(waiting(1, 5, "for mutex 0 of rank 0", {3}));
  snapshot.ranks.push_back(view_of(2, 'R'));
  snapshot.ranks.push_back(waiting(3, 4, "in barrier of the world", {2}));
  snapshot.ranks.push_back(view_of(4, '?', RankState::failed));
  EXPECT_THAT(sentences(snapshot, 9), ElementsAre("rank 1 waits for mutex 0 of rank 0 from rank 3, for 5.0 s",
                                                  "ranks 0, 3 wait in barrier of the world for rank 2, for 4.0 s",
                                                  "rank 2 computes", "rank 4 has failed"));
  EXPECT_THAT(sentences(snapshot, 2), ElementsAre("rank 1 waits for mutex 0 of rank 0 from rank 3, for 5.0 s",
                                                  "and 3 other things that ranks do"));
}

TEST(Words, MoreThanCanBeNamed) {
  RankView view = waiting(0, 1, "in barrier of the world", {});
  for (Rank rank = 1; rank < 40; ++rank) view.wait->wait_for(rank);
  EXPECT_EQ(doing(view), "waits in barrier of the world for ranks 1 to 8 and 31 more");
}

TEST(Words, ATableFitsItsScreen) {
  Snapshot snapshot{.at_ns = 1, .ranks = {}};
  for (Rank rank = 0; rank < 10; ++rank) snapshot.ranks.push_back(view_of(rank, 'R'));
  snapshot.ranks[7] = waiting(7, 2, "in barrier of the world", {1});
  const auto lines = table(snapshot, 60, 5);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[1], HasSubstr("    7 "));
  EXPECT_EQ(lines[4], "and 7 ranks more");
  for (const std::string& line : lines) EXPECT_LE(line.size(), 60u);
  EXPECT_EQ(table(snapshot, 200, 50).size(), 11u);
}

TEST(ProcessStates, AreReadBehindANameOfAnyKind) {
  const auto state = parse_process_state("12 (a) R 7 (x) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->letter, 'S');
  EXPECT_EQ(state->cpu_ns, 200 * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
  EXPECT_FALSE(parse_process_state(""));
  EXPECT_FALSE(parse_process_state("12 (a) R"));
  EXPECT_TRUE(process_state(getpid()));
}

// Who has come since is no longer waited for.
TEST(Snapshots, LeaveOutThoseWhoWaitForTheSameByNow) {
  auto page = JobPage::create({.size = 3});
  ASSERT_TRUE(page);
  for (const Rank rank : {0u, 1u, 2u}) ASSERT_TRUE((*page)->enter(rank).ok());
  const auto show = [&](Rank rank, std::vector<Rank> whom) {
    LongWait wait;
    wait.since_ns = 1;
    wait.meeting = 5;
    wait.say("in barrier of the world");
    for (const Rank each : whom) wait.wait_for(each);
    ASSERT_TRUE((*page)->standing(rank).take());
    (*page)->standing(rank).show(wait);
  };
  show(0, {1, 2});
  show(2, {1});
  Observer observer(**page);
  const Snapshot snapshot = observer.look();
  ASSERT_EQ(snapshot.ranks.size(), 3u);
  EXPECT_EQ(doing(snapshot.ranks[0]), "waits in barrier of the world for rank 1");
  EXPECT_TRUE(snapshot.is_live());
}

TEST(Snapshots, RatesAreOfTheTimeInBetween) {
  auto page = JobPage::create({.size = 1});
  ASSERT_TRUE(page);
  ASSERT_TRUE((*page)->enter(0).ok());
  Observer observer(**page);
  EXPECT_EQ(observer.look().ranks[0].rates.collectives, 0);
  for (int i = 0; i < 1000; ++i) (*page)->standing(0).count_collective();
  (*page)->standing(0).count_posted(5000);
  const RankView::Rates rates = observer.look().ranks[0].rates;
  EXPECT_GT(rates.collectives, 0);
  EXPECT_DOUBLE_EQ(rates.posted_bytes, 5 * rates.collectives);
  EXPECT_EQ(observer.look().ranks[0].rates.collectives, 0);
}

}  // namespace
}  // namespace polder::cli
