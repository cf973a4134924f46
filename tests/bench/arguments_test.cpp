#include "common/arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

bench::Arguments parse(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return bench::parse_arguments(int(argv.size()), argv.data());
}

using Sizes = std::vector<std::size_t>;

TEST(Arguments, NameAndLists) {
  const auto arguments = parse({"put", "--sizes", "8,64,4096", "--procs", "2"});
  EXPECT_EQ(arguments.name, "put");
  EXPECT_EQ(arguments.sizes_or({1}), (Sizes{8, 64, 4096}));
  EXPECT_EQ(arguments.procs_or({1, 4}), (Sizes{2}));
}

TEST(Arguments, UsualSizesUnlessAsked) {
  EXPECT_EQ(parse({"put"}).sizes_or({8, 64, 512}), (Sizes{8, 64, 512}));
  EXPECT_EQ(parse({"put"}).procs_or({1, 4}), (Sizes{1, 4}));
}

TEST(Arguments, QuickIsShort) {
  const auto usual = parse({"put"});
  const auto quick = parse({"put", "--quick", "--sample-ms", "500"});
  EXPECT_LT(quick.plan.sample_ns, usual.plan.sample_ns);
  EXPECT_EQ(quick.sizes_or({8, 64, 512, 4096}), (Sizes{8, 64}));
}

TEST(Arguments, SampleLength) {
  EXPECT_EQ(parse({"put", "--sample-ms", "200"}).plan.sample_ns, 200'000'000);
}

TEST(Arguments, KindsOfCollectives) {
  EXPECT_TRUE(parse({"collectives"}).takes("scan"));
  const auto some = parse({"collectives", "--kinds", "scan,neighbours"});
  EXPECT_TRUE(some.takes("neighbours"));
  EXPECT_FALSE(some.takes("barrier"));
}

// Whatever other sizes are measured in the same run.
TEST(Arguments, BlocksOfASizeAreMeasuredByItAlone) {
  constexpr std::size_t kMB = 1 << 20;
  EXPECT_TRUE(bench::takes_blocks(64 * kMB, 2));
  EXPECT_TRUE(bench::takes_blocks(4 * kMB, 16));
  EXPECT_FALSE(bench::takes_blocks(8 * kMB, 16));
  EXPECT_FALSE(bench::takes_blocks(64 * kMB, 3));
  EXPECT_EQ(bench::room_for_blocks({8, 4 * kMB, 8 * kMB}, 16), 64 * kMB);
  EXPECT_EQ(bench::room_for_blocks({8, 64 * kMB}, 16), 128 * kMB);
  EXPECT_EQ(bench::room_for_blocks({64}, 1), 128u);
}

TEST(Arguments, WrittenIsWhatARankSends) {
  EXPECT_FALSE(parse({"collectives"}).written);
  EXPECT_TRUE(parse({"collectives", "--written"}).written);
  EXPECT_EQ(bench::bytes_sent("barrier", 8, 4, true), 0u);
  EXPECT_EQ(bench::bytes_sent("bcast", 8, 4, false), 0u);
  EXPECT_EQ(bench::bytes_sent("bcast", 8, 4, true), 8u);
  EXPECT_EQ(bench::bytes_sent("scatter", 8, 4, true), 32u);
  EXPECT_EQ(bench::bytes_sent("scatter", 8, 4, false), 0u);
  EXPECT_EQ(bench::bytes_sent("alltoall", 8, 4, false), 32u);
  EXPECT_EQ(bench::bytes_sent("neighbours", 8, 4, false), 16u);
  EXPECT_EQ(bench::bytes_sent("reduce", 8, 4, true), 8u);
}

using ArgumentsDeathTest = ::testing::TestWithParam<std::vector<std::string>>;

TEST_P(ArgumentsDeathTest, AreRefusedWithASentence) {
  EXPECT_EXIT((void)parse(GetParam()), ::testing::ExitedWithCode(2), "usage: bench NAME");
}

INSTANTIATE_TEST_SUITE_P(Wrong, ArgumentsDeathTest,
                         ::testing::Values(std::vector<std::string>{}, std::vector<std::string>{"put", "get"},
                                           std::vector<std::string>{"put", "--sizes"},
                                           std::vector<std::string>{"put", "--sizes", "8,x"},
                                           std::vector<std::string>{"put", "--sizes", ""},
                                           std::vector<std::string>{"put", "--sizes", "-8"},
                                           std::vector<std::string>{"collectives", "--kinds", "scan,scam"},
                                           std::vector<std::string>{"collectives", "--kinds", ""},
                                           std::vector<std::string>{"put", "--slow"}));

}  // namespace
