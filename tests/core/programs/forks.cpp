// A child that a rank has forked ends with exit(): static objects end in it, and the memory, the groups, the collectives
// and the place in the job that they stand for stay those of the parent.
#include <polder/eventual.hpp>
#include <polder/runtime.hpp>
#include <polder/stale.hpp>
#include <polder/stale_table.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using namespace polder;

void require(bool truth, const std::string& what) {
  if (truth) return;
  std::fprintf(stderr, "forks: failed: %s\n", what.c_str());
  std::_Exit(1);
}

void require(const Status& status) {
  require(status.ok(), status.to_string());
}

// In this order: the last ends first.
std::unique_ptr<Runtime> the_runtime;
std::unique_ptr<Group> the_group;
std::unique_ptr<Allocation> the_allocation;
std::unique_ptr<Stale> the_stale;
std::unique_ptr<StaleTable> the_table;
std::unique_ptr<Eventual> the_eventual;

void make_collectives(Group& group) {
  const ReductionSpec sum = *reduction(Reduction::sum, DataType::uint64, 1);
  auto stale = Stale::create(group, {sum}, 60s);
  require(stale.status());
  the_stale = *std::move(stale);
  auto table = StaleTable::create(group, {.rows = 4, .row = sum}, 60s);
  require(table.status());
  the_table = *std::move(table);
  auto eventual = Eventual::create(group, {.bytes = 8}, 60s);
  require(eventual.status());
  the_eventual = *std::move(eventual);
}

// Without slack those that wait look for members that have left.
void use_collectives(std::uint64_t members, std::uint64_t slack) {
  const ReductionSpec sum = *reduction(Reduction::sum, DataType::uint64, 1);
  const std::uint64_t one = 1;
  std::uint64_t all = 0;
  require(the_stale->allreduce_ssp(&one, &all, slack, 60s).status());
  require(the_table->update(0, &one));
  require(the_table->tick(60s));
  require(the_eventual->allreduce(sum, &one, &all, {}, 60s).status());
  require(all == members, "the sum of ones is " + std::to_string(all));
}

void fork_and_end() {
  const pid_t child = ::fork();
  if (child == 0) std::exit(0);
  int how = -1;
  require(::waitpid(child, &how, 0) == child && how == 0, "the child ended with " + std::to_string(how));
}

}  // namespace

int main() {
  auto runtime = Runtime::create();
  require(runtime.status());
  the_runtime = *std::move(runtime);
  Runtime& rt = *the_runtime;
  auto group = rt.create_group(0, rt.size());
  require(group.status());
  the_group = *std::move(group);
  require(the_group->commit(60s));
  auto allocation = rt.allocate(rt.world(), {.size = 4096}, 60s);
  require(allocation.status());
  the_allocation = *std::move(allocation);
  auto segment = rt.create_segment({.size = 1 << 20, .id = 0}, rt.world(), 60s);
  require(segment.status());
  std::fill_n(segment->data, segment->size, std::byte{7});
  make_collectives(rt.world());
  require(rt.world().barrier(60s));
  fork_and_end();
  const auto kept = [](std::byte byte) { return byte == std::byte{7}; };
  require(std::all_of(segment->data, segment->data + segment->size, kept), "memory of the parent has changed");
  const Rank next = (rt.rank() + 1) % rt.size();
  std::byte there{0};
  for (int round = 0; round < 20; ++round) {
    require(rt.get(&there, {next, 0, 77}, 1, Until::remote));
    require(kept(there), "the memory of the next rank is not what it was");
    require(rt.put("x", {next, the_allocation->id(), 0}, 1, Until::remote));
    require(the_group->barrier(60s));
    if (rt.rank() == Rank(round) % rt.size()) std::this_thread::sleep_for(2ms);
    use_collectives(rt.size(), round % 2 == 0 ? 1 : 0);
    require(rt.world().barrier(60s));
  }
  for (Rank rank = 0; rank < rt.size(); ++rank)
    require(rt.health(rank) == Health::healthy, "rank " + std::to_string(rank) + " is not healthy");
  require(rt.world().barrier(60s));
  the_eventual.reset();
  the_table.reset();
  the_stale.reset();
  the_allocation.reset();
  the_group.reset();
  the_runtime.reset();
  return 0;
}
