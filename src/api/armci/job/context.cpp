#include "api/armci/job/context.hpp"

#include "api/armci/collective/board.hpp"

#include <span>
#include <utility>
#include <vector>

namespace polder::armci {
namespace {

// The lowest rank whose memory this rank can load and store: it stands for the node.
Result<int> lowest_neighbour(Context& context) {
  auto probe = context.runtime().create_allocation(context.runtime().world(), {.size = 1});
  if (!probe.ok()) return std::move(probe).status();
  Status status = context.wait([&](Timeout slice) { return (*probe)->commit(slice); });
  if (!status.ok()) return status;
  Rank lowest = 0;
  for (; lowest < context.rank(); ++lowest) {
    auto pointer = context.runtime().direct_pointer((*probe)->at(lowest));
    if (!pointer.ok()) return std::move(pointer).status();
    if (*pointer != nullptr) break;
  }
  status = context.wait([&](Timeout slice) { return (*probe)->free(slice); });
  if (!status.ok()) return status;
  return int(lowest);
}

// Collective: finds out which ranks load and store each other's memory.
Status find_nodes(Context& context) {
  auto lowest = lowest_neighbour(context);
  if (!lowest.ok()) return std::move(lowest).status();
  std::vector<int> all(context.size());
  Status status =
      context.mpi().allgather(std::as_bytes(std::span(&*lowest, 1)), std::as_writable_bytes(std::span(all)));
  if (status.ok()) context.nodes.arrange(all);
  return status;
}

}  // namespace

std::atomic<Context*> current_context{nullptr};

Context::Context(std::unique_ptr<Mpi> mpi, const Options& options, std::unique_ptr<Runtime> runtime)
    : ArmciRank(std::move(mpi), options, std::move(runtime)),
      world(std::make_shared<Team>(this->runtime().world())),
      default_team(world),
      nodes(size()) {
  teams[world->grp_to_abs()] = world;
}

Context::~Context() = default;

Result<std::unique_ptr<Context>> Context::begin(std::unique_ptr<Mpi> mpi) {
  auto options = read_options();
  if (!options.ok()) return std::move(options).status();
  Mpi& exchange = *mpi;
  const auto allgather = [&exchange](std::span<const std::byte> mine, std::span<std::byte> all) {
    return exchange.allgather(mine, all);
  };
  RuntimeOptions wanted;
  wanted.ordering = Ordering::strict;  // location consistency, as ARMCI promises
  auto runtime = Runtime::create(wanted, {.rank = mpi->rank(), .size = mpi->size(), .allgather = allgather});
  if (!runtime.ok()) return std::move(runtime).status();
  std::unique_ptr<Context> context(new Context(std::move(mpi), *options, *std::move(runtime)));
  if (options->tell_the_nodes)
    if (Status status = find_nodes(*context); !status.ok()) return status;
  return context;
}

}  // namespace polder::armci
