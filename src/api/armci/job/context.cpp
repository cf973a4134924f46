#include "api/armci/job/context.hpp"

#include "api/armci/collective/board.hpp"

#include <utility>

namespace polder::armci {

std::atomic<Context*> current_context{nullptr};

Context::Context(std::unique_ptr<Mpi> mpi, const Options& options, std::unique_ptr<Runtime> runtime)
    : mpi_(std::move(mpi)),
      options_(options),
      runtime_(std::move(runtime)),
      addresses(runtime_->size()),
      world(std::make_shared<Team>(runtime_->world())),
      default_team(world),
      nodes(runtime_->size()),
      rank_(runtime_->rank()),
      size_(runtime_->size()),
      mpi_thread_(std::this_thread::get_id()) {
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
    if (Status status = context->nodes.find(*context); !status.ok()) return status;
  return context;
}

Status Context::barrier(const Team& team) const {
  return wait([&](Timeout slice) { return team.group().barrier(slice); });
}

}  // namespace polder::armci
