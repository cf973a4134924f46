#include <polder/containers/list.hpp>
#include <polder/containers/sort.hpp>
#include <polder/containers/unordered_map.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <map>

namespace polder::containers {
namespace {

TEST(UnorderedMap, AgainstTheStandardsMap) {
  as_units(3, [](const Team& team) {
    UnorderedMap<std::uint64_t, long> map(team, "words");
    std::map<std::uint64_t, long> expected;
    std::uint64_t random = 5;
    for (int round = 0; round < 4; ++round) {
      for (Rank unit = 0; unit < 3; ++unit)
        for (int i = 0; i < 40; ++i) {
          random = random * 6364136223846793005u + 1442695040888963407u;
          const std::uint64_t key = (random >> 40) % 90;
          const bool erases = (random >> 33) % 4 == 0;
          if (erases) {
            expected.erase(key);
          } else {
            expected[key] += i;
          }
          if (team.unit() != unit) continue;
          if (erases) {
            map.erase(key);
          } else {
            map.insert(key, i);
          }
        }
      map.commit(std::plus<>());
      ASSERT_EQ(map.size(), expected.size());
      for (std::uint64_t key = 0; key < 90; ++key) {
        const auto found = map.find(key);
        ASSERT_EQ(found.has_value(), expected.contains(key)) << key;
        if (found) {
          ASSERT_EQ(*found, expected[key]) << key;
        }
      }
      team.barrier();
    }
    std::size_t here = 0;
    map.for_each_local([&](std::uint64_t key, long value) {
      ++here;
      EXPECT_EQ(value, expected[key]);
      EXPECT_EQ(map.unit_of(key), team.unit());
    });
    EXPECT_EQ(here, map.local_size());
  });
}

TEST(UnorderedMap, FirstValueStaysAndAtomicValues) {
  as_units(4, [](const Team& team) {
    UnorderedMap<int, Atomic<std::int64_t>> map(team);
    EXPECT_FALSE(map.find(1));
    map.insert(1, {10 + std::int64_t(team.unit())});
    map.commit();
    EXPECT_EQ(map.at(1).load(), 10);
    team.barrier();
    map.at(1).fetch_add(5);
    team.barrier();
    EXPECT_EQ(map.at(1).load(), 30);
    EXPECT_EQ(map.find(1)->value, 30);
    team.barrier();
    for (std::int64_t i = 0, before = 30; i < 100; ++i) {
      const std::int64_t now = map.find(1)->value;  // while the others add
      EXPECT_TRUE(now >= before && now <= 30 + 4 * 100 && (now - 30) >= i) << before << ", " << now;
      before = now;
      map.at(1).fetch_add(1);
    }
    team.barrier();
    EXPECT_EQ(map.find(1)->value, 430);
    EXPECT_NE(text_of_failure([&] { map.at(2); }).find("there is no such key"), std::string::npos);
  });
}

TEST(List, GrowsByCommits) {
  as_units(3, [](const Team& team) {
    List<int> list(team, "events");
    EXPECT_NE(text_of_failure([&] { list.front(); }).find("list 'events': no element 0 of 0"), std::string::npos);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < int(team.unit()) * 5; ++i) list.push_back(100 * round + i);
      EXPECT_EQ(list.waiting(), team.unit() * 5);
      list.commit();
      ASSERT_EQ(list.size(), std::size_t(15 * (round + 1)));
    }
    EXPECT_EQ(list.front(), 0);
    EXPECT_EQ(list[5], 100);
    EXPECT_EQ(list.back(), 209);
    EXPECT_EQ(reduce(list, 0), 3 * (10 + 45) + 15 * 300);
    sort(list, std::greater<>());
    EXPECT_EQ(list.front(), 209);
    EXPECT_TRUE(is_sorted(list, std::greater<>()));
  });
}

}  // namespace
}  // namespace polder::containers
