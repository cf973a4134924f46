#include "sort_job.hpp"

#include "generate.hpp"
#include "mailbox_shuffle.hpp"
#include "sample.hpp"
#include "solo_team.hpp"
#include "temporary_folder.hpp"
#include "thread_team.hpp"
#include "validate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace terasort {
namespace {

// Of a shuffle, what its memory depends on.
class ShuffleWithBuffers final : public Shuffle {
 public:
  explicit ShuffleWithBuffers(bool in_place) : in_place_(in_place) {}
  std::uint64_t buffer_bytes(std::uint64_t part_records) const override { return 7 * part_records; }
  bool receives_in_place() const override { return in_place_; }
  Status prepare() override { return {}; }
  Status run(InputPart&, const Splitters&, RecordStore&, Progress&) override { return {}; }

 private:
  bool in_place_;
};

class SortFile : public testing::Test {
 protected:
  SortFile() {
    options_.input = folder_ / "in";
    options_.output = folder_ / "out";
    options_.progress = false;
  }

  void generate_input(std::uint64_t records, Keys keys = Keys::uniform) {
    SoloTeam team;
    GenerateOptions options{.records = records, .keys = keys};
    ASSERT_TRUE(generate(team, options_.input, options).ok());
  }

  // The outcome of every rank.
  std::vector<Status> sort(unsigned ranks) {
    std::vector<Status> outcomes(ranks);
    MailboxShuffle::Mailboxes mailboxes = MailboxShuffle::mailboxes(ranks);
    run_ranks(ranks, [&](Team& team) {
      MailboxShuffle shuffle(team, mailboxes);
      Result<SortReport> report = sort_file(team, shuffle, options_);
      outcomes[team.rank()] = report.status();
      if (report.ok() && team.rank() == 0) report_ = *report;
    });
    return outcomes;
  }

  void expect_sorted(unsigned ranks) {
    const Result<Summary> before = summarize(options_.input, 1);
    for (const Status& status : sort(ranks)) ASSERT_TRUE(status.ok()) << status.to_string();
    const Result<Summary> after = summarize(options_.output, 1);
    ASSERT_TRUE(after.ok()) << after.status().to_string();
    EXPECT_TRUE(after->ordered());
    EXPECT_TRUE(after->same_records(*before));
  }

  // Every rank fails, exactly one says why, and there is no output and no rest of one.
  void expect_failure(unsigned ranks, const std::string& part_of_message) {
    int speakers = 0;
    for (const Status& status : sort(ranks)) {
      EXPECT_FALSE(status.ok());
      if (status.message().empty()) continue;
      ++speakers;
      EXPECT_NE(status.message().find(part_of_message), std::string::npos) << status.message();
    }
    EXPECT_EQ(speakers, 1);
    for (const std::string& name : folder_.names()) EXPECT_EQ(name, "in");
  }

  TemporaryFolder folder_;
  SortOptions options_;
  SortReport report_;
};

TEST_F(SortFile, SortsWithAnyNumberOfRanks) {
  generate_input(20'011);
  for (const unsigned ranks : {1u, 2u, 3u, 8u}) {
    expect_sorted(ranks);
    EXPECT_EQ(report_.records, 20'011u);
    EXPECT_LT(report_.imbalance, 0.05);
  }
}

TEST_F(SortFile, OutputDoesNotDependOnTheNumberOfRanks) {
  generate_input(5000);
  expect_sorted(1);
  const std::string one = read_file(options_.output);
  expect_sorted(5);
  EXPECT_EQ(read_file(options_.output) == one, true);
}

TEST_F(SortFile, SharesOutUnevenAndEqualKeys) {
  for (const Keys keys : {Keys::skewed, Keys::few, Keys::equal}) {
    generate_input(100'000, keys);
    expect_sorted(4);
    EXPECT_LT(report_.imbalance, 0.05) << "kind of keys " << int(keys);
  }
}

// Enough records for a rank to keep them in several buckets.
TEST_F(SortFile, ManyRecordsOnOneRank) {
  constexpr std::uint64_t kRecords = 400'000;
  generate_input(kRecords, Keys::skewed);
  ASSERT_GT(memory_bound(options_, kRecords, 1, ShuffleWithBuffers(false)).buckets, 1u);
  expect_sorted(1);
}

TEST_F(SortFile, FewerRecordsThanRanks) {
  for (const std::uint64_t records : {0, 1, 2, 3}) {
    generate_input(records);
    expect_sorted(4);
  }
}

TEST_F(SortFile, TinyChunksChangeNothing) {
  generate_input(3000);
  options_.chunk_bytes = 1;  // rounded up to a record
  options_.write_bytes = 250;
  expect_sorted(3);
}

TEST_F(SortFile, OutputMayBeTheInput) {
  generate_input(10'000);
  const Result<Summary> before = summarize(options_.input, 1);
  options_.output = options_.input;
  for (const Status& status : sort(3)) ASSERT_TRUE(status.ok()) << status.to_string();
  const Result<Summary> after = summarize(options_.input, 1);
  EXPECT_TRUE(after->ordered());
  EXPECT_TRUE(after->same_records(*before));
}

TEST_F(SortFile, RefusesHalfARecord) {
  write_file(options_.input, std::string(1050, 'x'));
  expect_failure(3, "50 bytes are left over");
}

TEST_F(SortFile, RefusesAMissingInputAndAFolder) {
  expect_failure(3, "No such file");
  options_.input = folder_ / ".";
  expect_failure(3, "not a regular file");
}

TEST_F(SortFile, RefusesAnOutputInAMissingFolder) {
  generate_input(100);
  options_.output = folder_ / "nowhere/out";
  expect_failure(3, "nowhere");
}

TEST_F(SortFile, RefusesToStartWithTooLittleMemory) {
  generate_input(10'000);
  options_.memory = 1'000'000;
  expect_failure(3, "there are 1 MB");
}

// A sample that misjudges the input: no room for what comes.
TEST_F(SortFile, SaysSoWhenAShareDoesNotFit) {
  // Large enough that not all records are sampled: the places between the runs hold small keys only.
  constexpr std::uint64_t kRecords = 400'000;
  std::string bytes(kRecords * kRecordBytes, '\0');
  for (std::uint64_t i = 0; i < kRecords; ++i) bytes[i * kRecordBytes] = char(i * 199 % 251);
  write_file(options_.input, bytes);
  const Result<File> file = File::open(options_.input);
  for (unsigned rank = 0; rank < 4; ++rank) {
    const Result<std::vector<PlacedKey>> seen = sample_keys(*file, part_of(kRecords, rank, 4));
    for (const PlacedKey& key : *seen) bytes[key.position() * kRecordBytes] = char(0xC0 + key.position() % 64);
  }
  for (std::uint64_t i = 0; i < kRecords; ++i)
    if (std::uint8_t(bytes[i * kRecordBytes]) < 0xC0) bytes[i * kRecordBytes] = 1;
  write_file(options_.input, bytes);
  expect_failure(4, "--headroom");
}

TEST(MemoryBoundTest, GrowsWithRecordsAndIsNeverAboveAll) {
  const SortOptions options;
  const ShuffleWithBuffers shuffle(false);
  EXPECT_EQ(memory_bound(options, 0, 4, shuffle).capacity, 0u);
  EXPECT_EQ(memory_bound(options, 10, 4, shuffle).capacity, 10u);
  EXPECT_EQ(memory_bound(options, 1'000'000, 4, shuffle).capacity, 312'500u + 1024u);
  EXPECT_GE(memory_bound(options, 1'000'000, 4, shuffle).bytes, 313'524u * 132 + 250'000u * 7);
}

TEST(MemoryBoundTest, ShufflesThatReceiveInPlaceHaveOneBucket) {
  const SortOptions options;
  EXPECT_GT(memory_bound(options, 10'000'000, 4, ShuffleWithBuffers(false)).buckets, 1u);
  EXPECT_EQ(memory_bound(options, 10'000'000, 4, ShuffleWithBuffers(true)).buckets, 1u);
}

TEST(Agree, TheLowestCulpritSpeaksAndNotWhoStoppedBecauseOfIt) {
  std::vector<Status> outcomes(4);
  run_ranks(4, [&](Team& team) {
    Status mine = stopped_by_another();
    if (team.rank() >= 2) mine = Status(Code::system, "rank " + std::to_string(team.rank()));
    outcomes[team.rank()] = agree(team, mine);
  });
  EXPECT_EQ(outcomes[0].message(), "");
  EXPECT_EQ(outcomes[1].message(), "");
  EXPECT_EQ(outcomes[2].message(), "rank 2");
  EXPECT_EQ(outcomes[3].message(), "");
  for (const Status& status : outcomes) EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace terasort
