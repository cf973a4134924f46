// The same collectives as in bench/micro/collectives.cpp, with Gloo. What a call says is written down once for each root, before the clock
// starts, as Gloo allows.
#include "peers/gloo/collectives.hpp"

#include "common/cores.hpp"
#include "common/report.hpp"
#include "common/sampling.hpp"
#include "common/shared_world.hpp"
#include "peers/gloo/connected.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <unistd.h>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>

namespace bench {
namespace {

constexpr unsigned kSeconds = 1800;  // that all sizes and kinds may take

using Samples = std::vector<double>;

constexpr void (*kSum)(void*, const void*, const void*, std::size_t) = gloo::sum<double>;

double median(Samples samples) {
  const auto middle = samples.begin() + std::ptrdiff_t(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

class Kinds {
 public:
  Kinds(SharedWorld& world, const Arguments& arguments, std::size_t room)
      : world_(world),
        arguments_(arguments),
        context_(connected_by_gloo(world)),
        send_(room / sizeof(double)),
        receive_(room / sizeof(double)) {}

  void measure_barrier() {
    gloo::BarrierOptions barrier(context_);
    run("barrier", 0, [&](int) { gloo::barrier(barrier); });
  }

  void measure(std::size_t bytes) {
    measure_broadcast(bytes);
    measure_reduce(bytes);
    measure_allreduce(bytes);
    if (!takes_blocks(bytes, ranks())) return;
    measure_allgather(bytes);
    measure_alltoall(bytes);
    measure_gather(bytes);
    measure_scatter(bytes);
  }

 private:
  void measure_broadcast(std::size_t bytes) {
    auto each = for_each_root<gloo::BroadcastOptions>([&](auto& options, int root) {
      options.setOutput(receive_.data(), bytes / sizeof(double));
      options.setRoot(root);
    });
    run("bcast", bytes, [&](int root) { gloo::broadcast(each[std::size_t(root)]); });
  }

  void measure_reduce(std::size_t bytes) {
    auto each = for_each_root<gloo::ReduceOptions>([&](auto& options, int root) {
      options.setInput(send_.data(), bytes / sizeof(double));
      options.setOutput(receive_.data(), bytes / sizeof(double));
      options.setReduceFunction(kSum);
      options.setRoot(root);
    });
    run("reduce", bytes, [&](int root) { gloo::reduce(each[std::size_t(root)]); });
  }

  // Which algorithm is the better one is for its user to know, so it is tried.
  void measure_allreduce(std::size_t bytes) {
    if (!arguments_.takes("allreduce")) return;
    using Options = gloo::AllreduceOptions;
    Samples best;
    for (const auto algorithm : {Options::Algorithm::RING, Options::Algorithm::BCUBE}) {
      Options options(context_);
      options.setInput(send_.data(), bytes / sizeof(double));
      options.setOutput(receive_.data(), bytes / sizeof(double));
      options.setReduceFunction(kSum);
      options.setAlgorithm(algorithm);
      Samples samples = samples_of("allreduce", bytes, [&](int) { gloo::allreduce(options); });
      if (best.empty() || median(samples) < median(best)) best = std::move(samples);
    }
    print("allreduce", bytes, best);
  }

  void measure_allgather(std::size_t bytes) {
    gloo::AllgatherOptions options(context_);
    options.setInput(send_.data(), bytes / sizeof(double));
    options.setOutput(receive_.data(), ranks() * bytes / sizeof(double));
    run("allgather", bytes, [&](int) { gloo::allgather(options); });
  }

  void measure_alltoall(std::size_t bytes) {
    gloo::AlltoallOptions options(context_);
    options.setInput(send_.data(), ranks() * bytes / sizeof(double));
    options.setOutput(receive_.data(), ranks() * bytes / sizeof(double));
    run("alltoall", bytes, [&](int) { gloo::alltoall(options); });
  }

  void measure_gather(std::size_t bytes) {
    auto each = for_each_root<gloo::GatherOptions>([&](auto& options, int root) {
      options.setInput(send_.data(), bytes / sizeof(double));
      if (root == world_.rank()) options.setOutput(receive_.data(), ranks() * bytes / sizeof(double));
      options.setRoot(root);
    });
    run("gather", bytes, [&](int root) { gloo::gather(each[std::size_t(root)]); });
  }

  void measure_scatter(std::size_t bytes) {
    const std::size_t count = bytes / sizeof(double);
    std::vector<double*> parts;
    for (std::size_t rank = 0; rank < ranks(); ++rank) parts.push_back(send_.data() + rank * count);
    auto each = for_each_root<gloo::ScatterOptions>([&](auto& options, int root) {
      if (root == world_.rank()) options.setInputs(parts, count);
      options.setOutput(receive_.data(), count);
      options.setRoot(root);
    });
    run("scatter", bytes, [&](int root) { gloo::scatter(each[std::size_t(root)]); });
  }

  template <class Options, class Fill>
  std::vector<Options> for_each_root(Fill&& fill) {
    std::vector<Options> each;
    each.reserve(ranks());
    for (int root = 0; root < world_.size(); ++root) fill(each.emplace_back(context_), root);
    return each;
  }

  // Takes and prints the time of `call(root)`, whose root changes with each call.
  template <class OneCall>
  void run(const std::string& kind, std::size_t bytes, OneCall&& call) {
    if (arguments_.takes(kind)) print(kind, bytes, samples_of(kind, bytes, call));
  }

  template <class OneCall>
  Samples samples_of(const std::string& kind, std::size_t bytes, OneCall&& call) {
    const auto all = [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        const int root = int(i % ranks());
        if (arguments_.written)
          std::fill_n(kind == "bcast" ? receive_.data() : send_.data(),
                      bytes_sent(kind, bytes, ranks(), root == world_.rank()) / sizeof(double), 1.0);
        call(root);
      }
    };
    return sample(world_, arguments_.plan, all, Timed::span);
  }

  void print(const std::string& kind, std::size_t bytes, const Samples& samples) {
    if (world_.rank() == 0) report({.name = "coll_" + kind, .ranks = world_.size(), .size = bytes, .samples = samples});
  }

  std::size_t ranks() const { return std::size_t(world_.size()); }

  SharedWorld& world_;
  const Arguments& arguments_;
  const std::shared_ptr<gloo::Context> context_;
  std::vector<double> send_, receive_;
};

}  // namespace

void measure_collectives(const std::vector<std::size_t>& processes, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({8, 4096, 65536, 1 << 20, 16 << 20});
  for (const std::size_t count : processes) {
    const auto body = [&](SharedWorld& world) {
      try {
        Kinds kinds(world, arguments, room_for_blocks(sizes, count));
        kinds.measure_barrier();
        for (const std::size_t bytes : sizes) kinds.measure(bytes);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "bench-gloo: process %d: %s\n", world.rank(), error.what());
        std::_Exit(1);  // the others wait for this one; the program that started it ends them
      }
    };
    run_processes(std::vector<int>(count, kAnyCore), std::size_t(sysconf(_SC_PAGESIZE)), body, kSeconds);
  }
}

}  // namespace bench
