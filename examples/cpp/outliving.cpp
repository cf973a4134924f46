// A diffusion along a ring that outlives the death of ranks: a spare takes the place of each, with its number, at the last epoch.
//
//   polder run -n 4 --spares 1 --keep-going outliving_cpp --kill-at 30:2    # member 2 dies in step 30
//   polder run -n 4 outliving_cpp --to DIR    # and every tenth epoch to disk: begun again, it goes on from the last of them
#include "check.hpp"

#include <polder/collective.hpp>
#include <polder/runtime.hpp>
#include <polder/working_set.hpp>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using polder::Rank;
using polder::Status;

constexpr std::size_t kCells = 1000;  // of each member
constexpr std::uint64_t kSteps = 60;
constexpr std::int64_t kHeat = std::int64_t{1'000'000} * kCells;

struct Options {
  unsigned long long kill_step = 0;  // 0: nobody dies
  unsigned kill_place = 0;
  std::string directory = {};
};

// Heat flows to both neighbours, and none is lost: whole numbers, so that sums are exact.
Status flow(polder::Group& group, std::vector<std::int64_t>& cells) {
  const std::int64_t mine[] = {cells.front(), cells.back()};
  std::vector<std::int64_t> edges(2 * group.size());
  Status status = group.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(edges)), 60s);
  if (!status.ok()) return status;
  const Rank size = Rank(group.size()), left = (group.index() + size - 1) % size, right = (group.index() + 1) % size;
  std::vector<std::int64_t> before = {edges[2 * left + 1]};
  before.insert(before.end(), cells.begin(), cells.end());
  before.push_back(edges[2 * right]);
  for (std::size_t i = 0; i < kCells; ++i) cells[i] += before[i] / 4 + before[i + 2] / 4 - 2 * (cells[i] / 4);
  return {};
}

Status total(polder::Group& group, const std::vector<std::int64_t>& cells, std::int64_t& sum) {
  sum = 0;
  for (const std::int64_t cell : cells) sum += cell;
  const auto spec = polder::reduction(polder::Reduction::sum, polder::DataType::int64, 1);
  return spec.ok() ? allreduce(group, *spec, &sum, &sum, 60s) : spec.status();
}

Status work(polder::Member& me, const Options& options) {
  std::vector<std::int64_t> cells(kCells, me.place() == 0 ? kHeat / std::int64_t(kCells) : 0);
  Status status = me.keep(cells.data(), cells.size() * sizeof cells[0]);
  if (status.ok()) status = me.begin(60s);  // after a death: the cells of the last epoch
  while (status.ok() && me.epoch() < kSteps) {
    if (me.recoveries().empty() && me.epoch() + 1 == options.kill_step && me.place() == options.kill_place)
      std::raise(SIGKILL);
    status = flow(me.group(), cells);
    if (status.ok()) status = me.save(60s);
    if (status.ok() && !options.directory.empty() && me.epoch() % 10 == 0) status = me.store(60s);
  }
  std::int64_t sum = 0;
  if (status.ok()) status = total(me.group(), cells, sum);
  if (status.ok() && me.place() == 0)
    std::printf("%u members, %d steps, %zu recoveries: %s\n", me.size(), int(kSteps), me.recoveries().size(),
                sum == kHeat ? "no heat was lost" : "HEAT WAS LOST");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], "--to") == 0)
      options.directory = argv[i + 1];
    else if (std::strcmp(argv[i], "--kill-at") == 0)
      (void)std::sscanf(argv[i + 1], "%llu:%u", &options.kill_step, &options.kill_place);
  const auto rt = take(polder::Runtime::create());
  polder::WorkingSet set(*rt, {.directory = options.directory});
  const Status status = set.run([&](polder::Member& me) { return work(me, options); });
  check(status);
  return 0;
}
