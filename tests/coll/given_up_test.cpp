// A member of a node that gives a long call up, and keeps the group: it has its memory for itself from then on, so the other one makes
// nothing of what is there by then; nor does that one wait for what will not be done any more.
#include "core/ranks.hpp"
#include "util/environment.hpp"
#include "words.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace polder::test {
namespace {

enum class Kind { allreduce, exscan, reduce_scatter, scatter, gather };
constexpr const char* kNames[] = {"allreduce", "exscan", "reduce_scatter", "scatter", "gather"};

constexpr std::size_t kWords = 40'000, kPart = kWords / 2;

// Of two members, in the buffers of one.
struct Call {
  Group& group;
  Kind kind;
  std::vector<std::uint64_t> mine = std::vector<std::uint64_t>(kWords, group.index() + 1);
  std::vector<std::uint64_t> result = std::vector<std::uint64_t>(kWords);

  Status run(Timeout timeout) { return make()->run(timeout); }
  Result<Collective> make() {
    const std::size_t counts[] = {kPart, kPart}, parts[] = {8 * kPart, 8 * kPart};
    switch (kind) {
      case Kind::allreduce: return Collective::allreduce(group, sum(kWords), mine.data(), result.data());
      case Kind::exscan: return Collective::exscan(group, sum(kWords), mine.data(), result.data());
      case Kind::scatter: return Collective::scatter(group, 0, parts, mine.data(), result.data());
      case Kind::gather: return Collective::gather(group, 0, parts, mine.data(), result.data());
      default: return Collective::reduce_scatter(group, sum(kWords), counts, mine.data(), result.data());
    }
  }
  // Where this member gets anything of the other one: the last word of it.
  bool is_right() const {
    const bool is_first = group.index() == 0;
    if (kind == Kind::allreduce) return result[0] == 3 && result[kWords - 1] == 3;
    if (kind == Kind::reduce_scatter) return result[0] == 3 && result[kPart - 1] == 3;
    if (kind == Kind::gather) return !is_first || result[kWords - 1] == 2;
    return is_first || result[(kind == Kind::exscan ? kWords : kPart) - 1] == 1;
  }
};

using Case = std::tuple<const char*, Rank, Kind>;  // POLDER_COLL_PRIVATE, who gives up, what
class GivenUpTest : public testing::TestWithParam<Case> {};
std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const auto& [ways, early, kind] = info.param;
  return std::string(kNames[int(kind)]) + "_" + ways + "_by_" + std::to_string(early);
}
INSTANTIATE_TEST_SUITE_P(Pairs, GivenUpTest,
                         testing::Combine(testing::Values("once", "twice"), testing::Values(0, 1),
                                          testing::Values(Kind::allreduce, Kind::exscan, Kind::reduce_scatter,
                                                          Kind::scatter, Kind::gather)),
                         name_of_case);

TEST_P(GivenUpTest, IsNotReadAndNotWaitedFor) {
  const auto [ways, early, kind] = GetParam();
  const util::ScopedEnvironment environment("POLDER_COLL_PRIVATE", ways);
  std::atomic<bool> given_up{false}, is_through{false};
  run_ranks(3, World{SimulatedDevice::direct, 3}.options(), [&, early = early, kind = kind](Runtime& rt) {
    if (rt.rank() == 2) return;
    auto group = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
    Call call{**group, kind};
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ok(call.run(kPatience)));  // both know that they read each other
    std::fill(call.result.begin(), call.result.end(), 0);
    if (rt.rank() == early) {
      static_cast<void>(call.run(20ms));  // ends well where this member needs nothing of the other one
      std::fill(call.mine.begin(), call.mine.end(), 0x77);
      given_up = true;
      while (!is_through) rest(100us);
    } else {
      while (!given_up) rest(100us);
      const Status status = call.run(kPatience);
      EXPECT_TRUE(status.ok() ? call.is_right() : fails(status, Code::peer_failed, "given up")) << status.to_string();
      is_through = true;
    }
  });
}

}  // namespace
}  // namespace polder::test
