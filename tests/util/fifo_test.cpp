#include "util/fifo.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace polder::util {
namespace {

TEST(Fifo, GivesBackWhatWasPutInThatOrder) {
  Fifo<int> fifo;
  for (int i = 0; i < 100; ++i) fifo.push_back(i);
  ASSERT_EQ(fifo.size(), 100u);
  EXPECT_EQ(fifo.back(), 99);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(fifo.front(), i);
    fifo.pop_front();
  }
  EXPECT_TRUE(fifo.empty());
}

TEST(Fifo, AnElementStaysWhereItIsWhileOthersGo) {
  Fifo<int> fifo;
  for (int i = 0; i < 5; ++i) fifo.push_back(i);
  int& last = fifo.back();
  fifo.pop_front();
  fifo.pop_front();
  EXPECT_EQ(&last, &fifo.back());
  EXPECT_EQ(last, 4);
}

// Growing at any place of the ring, and clearing, beside a queue that is known to work.
TEST(Fifo, DoesWhatADequeDoes) {
  std::mt19937 random(7);
  Fifo<unsigned> fifo;
  std::deque<unsigned> model;
  for (int step = 0; step < 20'000; ++step) {
    const unsigned choice = random() % 1000;
    if (choice == 0) {
      fifo.clear();
      model.clear();
    } else if (choice < 520 || model.empty()) {
      fifo.push_back(choice);
      model.push_back(choice);
    } else {
      fifo.pop_front();
      model.pop_front();
    }
    ASSERT_EQ(fifo.size(), model.size());
    if (model.empty()) continue;
    ASSERT_EQ(fifo.front(), model.front());
    ASSERT_EQ(fifo.back(), model.back());
    const std::size_t any = random() % model.size();
    ASSERT_EQ(fifo[any], model[any]);
  }
}

}  // namespace
}  // namespace polder::util
