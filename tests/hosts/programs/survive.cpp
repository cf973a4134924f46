// survive: the last rank dies without a word while all are at work. The others learn it, make a group without it, and
// go on: barrier, allreduce, and data with a flag round the group. Each prints "survived RANK".
#include <polder/collective.hpp>
#include <polder/runtime.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

using namespace std::chrono_literals;
using namespace polder;

constexpr auto kPatience = 30s;
constexpr auto kNotice = 15s;

int complain(const char* what, const Status& status) {
  std::printf("wrong: %s: %s\n", what, status.to_string().c_str());
  return EXIT_FAILURE;
}

// Until a barrier fails; success would mean that nobody died.
Status work(Runtime& rt) {
  Status status;
  for (int turn = 0; status.ok(); ++turn) {
    if (turn == 20 && rt.rank() + 1 == rt.size()) std::raise(SIGKILL);
    status = rt.world().barrier(kPatience);
  }
  return status;
}

// A call may fail a moment before the state says why.
bool learns_of_death(const Runtime& rt) {
  const auto end = std::chrono::steady_clock::now() + kNotice;
  while (rt.health(rt.size() - 1) != Health::failed && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(5ms);
  return rt.health(rt.size() - 1) == Health::failed;
}

Status pass_round(Runtime& rt, Group& group) {
  const Rank next = group.absolute((group.index() + 1) % Rank(group.size()));
  const std::uint64_t mine = rt.rank();
  if (Status status = rt.put_notify(&mine, {next, 0, 0}, sizeof mine, {.id = 0}, Timeout(kPatience)); !status.ok())
    return status;
  auto flag = rt.wait_some(0, 0, 1, kPatience);
  if (!flag.ok()) return std::move(flag).status();
  auto segment = rt.segment(0);
  if (!segment.ok()) return std::move(segment).status();
  const Rank before = group.absolute((group.index() + Rank(group.size()) - 1) % Rank(group.size()));
  const auto got = *reinterpret_cast<const volatile std::uint64_t*>(segment->data);
  return got == before ? Status() : Status(Code::system, "the wrong number arrived");
}

Status go_on(Runtime& rt) {
  auto group = rt.create_group(0, rt.size() - 1);
  if (!group.ok()) return std::move(group).status();
  if (Status status = (*group)->commit(kPatience); !status.ok()) return status;
  const std::int64_t one = 1;
  std::int64_t sum = 0;
  if (Status status = allreduce(**group, Reduction::sum, DataType::int64, &one, &sum, 1, kPatience); !status.ok())
    return status;
  if (sum != std::int64_t(rt.size()) - 1) return {Code::system, "the sum is wrong"};
  if (Status status = pass_round(rt, **group); !status.ok()) return status;
  return (*group)->barrier(kPatience);
}

}  // namespace

int main() {
  auto runtime = Runtime::create({.timeout = kPatience});
  if (!runtime.ok()) return complain("start", runtime.status());
  Runtime& rt = **runtime;
  auto segment = rt.create_segment({.size = 64, .id = 0, .notifications = 1}, rt.world(), kPatience);
  if (!segment.ok()) return complain("segment", segment.status());
  if (const Status noticed = work(rt); noticed.code() != Code::peer_failed) return complain("barrier", noticed);
  if (!learns_of_death(rt)) return complain("health", Status(Code::system, "the dead rank counts as alive"));
  if (const Status after = go_on(rt); !after.ok()) return complain("without the dead rank", after);
  std::printf("survived %u\n", rt.rank());
  return EXIT_SUCCESS;
}
