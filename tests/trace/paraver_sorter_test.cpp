#include "trace/convert/paraver_sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>

namespace polder::trace::paraver {
namespace {

// Of all kinds, with numbers of every size; `number` tells them apart.
PrvRecord made(std::mt19937_64& chance, std::int64_t number) {
  PrvRecord record;
  record.time = std::int64_t(chance() % 1000) << (chance() % 3 * 15);
  record.rank = Rank(chance());
  record.thread = std::uint16_t(chance());
  record.what = PrvRecord::What(chance() % 3);
  const int count = record.what == PrvRecord::What::state ? 1 : record.what == PrvRecord::What::event ? 11 : 7;
  record.add(number);
  for (int i = 0; i < count; ++i) record.add(std::int64_t(chance()) >> (chance() % 64));
  return record;
}

std::string text_of(const PrvRecord& record) {
  std::string text;
  append_line(text, record);
  return text + std::to_string(record.time);
}

void expect_sorted(std::size_t in_memory, int records) {
  std::mt19937_64 chance(7);
  PrvSorter sorter(in_memory);
  std::vector<PrvRecord> pushed;
  for (int i = 0; i < records; ++i) {
    pushed.push_back(made(chance, i));
    sorter.push(pushed.back());
  }
  std::stable_sort(pushed.begin(), pushed.end(),
                   [](const PrvRecord& a, const PrvRecord& b) { return a.time < b.time; });
  std::size_t at = 0;
  sorter.for_each([&](const PrvRecord& record) {
    ASSERT_LT(at, pushed.size());
    ASSERT_EQ(text_of(record), text_of(pushed[at])) << at;
    ++at;
  });
  EXPECT_EQ(at, pushed.size());
}

TEST(PrvSorter, SortsInMemoryAndKeepsTheOrderOfWhatIsEqual) {
  expect_sorted(100'000, 20'000);
}

TEST(PrvSorter, SortsMoreThanItKeepsInMemory) {
  expect_sorted(700, 20'000);
}

TEST(PrvSorter, SortsNothing) {
  expect_sorted(2, 0);
}

TEST(PrvRecord, PacksTheLargestNumbersIntoWhatIsSaid) {
  PrvRecord record;
  record.what = PrvRecord::What::communication;
  record.rank = ~Rank{0};
  record.thread = 0xffff;
  for (int i = 0; i < PrvRecord::kMostNumbers; ++i) record.add(i % 2 == 0 ? INT64_MIN : INT64_MAX);
  char packed[kMostPacked];
  const char* const end = pack(packed, record);
  PrvRecord again;
  EXPECT_EQ(unpack(packed, again), end);
  EXPECT_EQ(text_of(again), text_of(record));
}

// TMPDIR is where it sorts, and nothing is left there; where it cannot write, it says so.
TEST(PrvSorter, SortsInTmpdirAndLeavesNothing) {
  char folder[] = "/tmp/polder-sorter-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", folder, 1);
  expect_sorted(700, 2000);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  ::setenv("TMPDIR", (std::string(folder) + "/absent").c_str(), 1);
  try {
    expect_sorted(700, 2000);
    ADD_FAILURE() << "it sorted nowhere";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("absent"), std::string::npos) << e.what();
  }
  if (before == nullptr)
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", kept.c_str(), 1);
  std::filesystem::remove(folder);
}

}  // namespace
}  // namespace polder::trace::paraver
