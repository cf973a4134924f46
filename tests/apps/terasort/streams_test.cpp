#include "spares/streams.hpp"

#include "generate.hpp"
#include "solo_team.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace terasort {
namespace {

constexpr unsigned kPlaces = 4;

class StreamsOfAPart : public testing::Test {
 protected:
  // More than three notes, and not a whole number of them.
  static constexpr std::uint64_t kRecords = 3 * Streams::kBetweenNotes + 1234;

  void SetUp() override {
    SoloTeam team;
    ASSERT_TRUE(generate(team, folder_ / "in", {.records = kRecords}).ok());
    file_ = *File::open(folder_ / "in");
  }

  Streams streams() const { return Streams(file_, {0, kRecords}, 100'000, splitters_); }

  // What comes to its end, or until `most` records were looked at.
  std::vector<std::string> rest(Streams& streams, std::uint64_t most = ~std::uint64_t{0}) {
    std::vector<std::string> came(kPlaces);
    looked_ = 0;
    while (!streams.at_end() && looked_ < most) {
      const Result<std::uint64_t> looked =
          streams.read(std::min<std::uint64_t>(1000, most - looked_), [&](unsigned to, const std::byte* record) {
            came[to].append(reinterpret_cast<const char*>(record), 10);
            return true;
          });
      EXPECT_TRUE(looked.ok());
      looked_ += *looked;
    }
    return came;
  }
  static std::uint64_t records(const std::string& keys) { return keys.size() / 10; }

  TemporaryFolder folder_;
  File file_;
  Splitters splitters_{{{1ull << 62, 0}, {2ull << 62, 0}, {3ull << 62, 0}}};
  std::uint64_t looked_ = 0;
};

TEST_F(StreamsOfAPart, GiveEachRecordOnceAndEndWithTheirLengths) {
  Streams all = streams();
  const std::vector<std::string> came = rest(all);
  std::uint64_t sum = 0;
  for (unsigned place = 0; place < kPlaces; ++place) {
    EXPECT_EQ(all.counts()[place], records(came[place]));
    sum += records(came[place]);
  }
  EXPECT_EQ(sum, kRecords);
}

TEST_F(StreamsOfAPart, GiveExactlyWhatHasNotArrived) {
  Streams all = streams();
  const std::vector<std::string> whole = rest(all);
  Streams some = streams();
  (void)rest(some, kRecords / 2 + 777);
  // Of two streams a little was lost on the way; a new place has nothing; of the last one all has come so far.
  const std::vector<std::uint64_t> arrived = {some.counts()[0] - 20, 0, some.counts()[2] - 1, some.counts()[3]};
  some.resume(arrived);
  const std::vector<std::string> came = rest(some);
  for (unsigned place = 0; place < kPlaces; ++place)
    EXPECT_EQ(came[place], whole[place].substr(arrived[place] * 10)) << place;
  EXPECT_EQ(some.counts(), all.counts());
}

TEST_F(StreamsOfAPart, GoBackNoFurtherThanToTheLastNote) {
  Streams some = streams();
  (void)rest(some, kRecords / 2 + 777);
  std::vector<std::uint64_t> arrived = some.counts();
  arrived[1] -= 20;
  some.resume(arrived);
  (void)rest(some);
  EXPECT_LT(looked_, kRecords / 2 - 777 + Streams::kBetweenNotes);
}

TEST_F(StreamsOfAPart, ReadNothingWhereAllHasArrived) {
  Streams all = streams();
  (void)rest(all);
  const std::vector<std::uint64_t> lengths = all.counts();
  all.resume(lengths);
  EXPECT_TRUE(all.at_end());
  EXPECT_EQ(all.counts(), lengths);
  // And once more from the beginning, for a place that is new.
  all.resume(std::vector<std::uint64_t>{lengths[0], lengths[1], 0, lengths[3]});
  const std::vector<std::string> came = rest(all);
  EXPECT_EQ(records(came[2]), lengths[2]);
  EXPECT_TRUE(came[0].empty() && came[1].empty() && came[3].empty());
}

TEST_F(StreamsOfAPart, ARecordThatWasRefusedComesAgain) {
  Streams all = streams();
  std::uint64_t offered = 0;
  const auto refuse = [&](unsigned, const std::byte*) { return ++offered <= 5; };
  EXPECT_EQ(*all.read(100, refuse), 5U);
  EXPECT_EQ(all.done(), 5U);
  const std::vector<std::string> came = rest(all);
  EXPECT_EQ(records(came[0]) + records(came[1]) + records(came[2]) + records(came[3]), kRecords - 5);
}

}  // namespace
}  // namespace terasort
