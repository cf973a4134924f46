#include "util/sparse_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace polder::util {
namespace {

// Counts the living, to see that the table frees each element once.
struct Counted {
  explicit Counted(int value_, std::atomic<int>& alive_) : value(value_), alive(alive_) { ++alive; }
  ~Counted() { --alive; }
  int value;
  std::atomic<int>& alive;
};

TEST(SparseTable, IsEmptyAtFirst) {
  const SparseTable<int, 4> table(10);
  EXPECT_EQ(table.limit(), 10u);
  for (std::size_t i = 0; i < table.limit(); ++i) EXPECT_EQ(table.find(i), nullptr);
  table.for_each([](std::size_t, int&) { FAIL(); });
}

TEST(SparseTable, KeepsTheFirstElement) {
  SparseTable<int, 4> table(10);
  int& first = table.find_or_insert(9, [] { return std::make_unique<int>(1); });
  int& second = table.find_or_insert(9, [] { return std::make_unique<int>(2); });
  EXPECT_EQ(&first, &second);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(table.find(9), &first);
  EXPECT_EQ(table.find(8), nullptr);
}

TEST(SparseTable, VisitsElementsInOrder) {
  SparseTable<int, 4> table(100);
  for (int index : {70, 3, 4, 99})
    table.find_or_insert(std::size_t(index), [&] { return std::make_unique<int>(index * 2); });
  std::vector<std::pair<std::size_t, int>> seen;
  table.for_each([&](std::size_t index, int& element) { seen.emplace_back(index, element); });
  const std::vector<std::pair<std::size_t, int>> expected{{3, 6}, {4, 8}, {70, 140}, {99, 198}};
  EXPECT_EQ(seen, expected);
}

TEST(SparseTable, OwnsItsElements) {
  std::atomic<int> alive{0};
  {
    SparseTable<Counted, 4> table(64);
    for (int i = 0; i < 64; i += 7)
      table.find_or_insert(std::size_t(i), [&] { return std::make_unique<Counted>(i, alive); });
    EXPECT_EQ(alive, 10);
  }
  EXPECT_EQ(alive, 0);
}

TEST(SparseTable, ThreadsAgreeOnOneElement) {
  constexpr std::size_t kSlots = 512;
  std::atomic<int> alive{0};
  std::atomic<int> made{0};
  SparseTable<Counted, 16> table(kSlots);
  std::vector<std::vector<Counted*>> seen(4, std::vector<Counted*>(kSlots));
  std::vector<std::thread> threads;
  for (auto& mine : seen)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kSlots; ++i)
        mine[i] = &table.find_or_insert(i, [&] {
          ++made;
          return std::make_unique<Counted>(int(i), alive);
        });
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, int(kSlots));
  for (const auto& other : seen) EXPECT_EQ(other, seen[0]);
  for (std::size_t i = 0; i < kSlots; ++i) EXPECT_EQ(table.find(i)->value, int(i));
}

}  // namespace
}  // namespace polder::util
