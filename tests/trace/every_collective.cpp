// Each kind of collective, short and long, by the algorithms that the table chooses and some by another one. Rank 0 prints a line for
// each, in order, which test_collectives_in_trace.py looks for in the trace: KIND ROOT ALGORITHM, ROOT - where there is none.
#include <polder/collective.hpp>
#include <polder/neighbours.hpp>
#include <polder/runtime.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace polder;

constexpr auto kPatience = 60s;
constexpr Rank kRoot = 1;

[[noreturn]] void complain(const Status& status) {
  std::fprintf(stderr, "%s\n", status.to_string().c_str());
  std::exit(EXIT_FAILURE);
}

class Collectives {
 public:
  explicit Collectives(Runtime& rt) : rt_(rt) {}

  void run(const char* kind, Result<Collective> made, std::string_view wanted = {}, bool rooted = false) {
    if (!made.ok()) complain(made.status());
    if (!wanted.empty())
      if (const Status status = made->use(wanted); !status.ok()) complain(status);
    const std::string algorithm(made->algorithm());
    if (const Status status = made->run(kPatience); !status.ok()) complain(status);
    if (rt_.rank() == 0)
      std::printf("%s %s %s\n", kind, rooted ? std::to_string(kRoot).c_str() : "-", algorithm.c_str());
  }

  void run_all(std::size_t count) {
    Group& group = rt_.world();
    const std::size_t all = count * group.size();
    std::vector<std::uint64_t> send(all, rt_.rank()), receive(all);
    const auto sum = reduction(Reduction::sum, DataType::uint64, count);
    if (!sum.ok()) complain(sum.status());
    const std::vector<std::size_t> counts(group.size(), count), bytes(group.size(), 8 * count);
    const auto whole = reduction(Reduction::sum, DataType::uint64, all);
    run("barrier", Collective::barrier(group));
    run("broadcast", Collective::broadcast(group, kRoot, send.data(), 8 * count), {}, true);
    run("reduce", Collective::reduce(group, kRoot, *sum, send.data(), receive.data()), {}, true);
    run("allreduce", Collective::allreduce(group, *sum, send.data(), receive.data()));
    run("allreduce", Collective::allreduce(group, *sum, send.data(), receive.data()), "ring");
    run("reduce_scatter", Collective::reduce_scatter(group, *whole, counts, send.data(), receive.data()));
    run("allgather", Collective::allgather(group, bytes, send.data(), receive.data()));
    run("allgather", Collective::allgather(group, bytes, send.data(), receive.data()), "ring");
    run("gather", Collective::gather(group, kRoot, bytes, send.data(), receive.data()), {}, true);
    run("scatter", Collective::scatter(group, kRoot, bytes, send.data(), receive.data()), {}, true);
    run("alltoall", Collective::alltoall(group, 8 * count, send.data(), receive.data()));
    run("scan", Collective::scan(group, *sum, send.data(), receive.data()));
    run("exscan", Collective::exscan(group, *sum, send.data(), receive.data()));
    const GridDimension ring{.extent = group.size(), .periodic = true};
    auto neighbours = Neighbours::grid(group, {&ring, 1});
    if (!neighbours.ok()) complain(neighbours.status());
    run_neighbours(*neighbours, count);
  }

 private:
  // commit() is an alltoall of its own.
  void run_neighbours(Neighbours& neighbours, std::size_t count) {
    const std::size_t most = 2 * count;
    std::vector<std::uint64_t> send(most, 1), receive(most);
    if (const Status status = neighbours.commit(kPatience); !status.ok()) complain(status);
    if (rt_.rank() == 0) std::puts("alltoall - *");
    run("neighbours", Collective::neighbour_alltoall(neighbours, 8 * count, send.data(), receive.data()));
  }

  Runtime& rt_;
};

}  // namespace

int main() {
  const auto runtime = Runtime::create({.timeout = kPatience});
  if (!runtime.ok()) complain(runtime.status());
  Collectives collectives(**runtime);
  for (const std::size_t count : {1u, 3000u, 200'000u}) collectives.run_all(count);
  return EXIT_SUCCESS;
}
