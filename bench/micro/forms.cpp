// The forms of a collective, by one allreduce over private vectors: the blocking call, a persistent request, one that is
// made anew each time, in turn; and how much of it is hidden behind what the ranks do meanwhile.
#include "common/work.hpp"
#include "micro/measurements.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace bench {
namespace {

using polder::Collective;

class Forms {
 public:
  Forms(PolderWorld& world, const Arguments& arguments, std::size_t bytes)
      : world_(world),
        arguments_(arguments),
        bytes_(bytes),
        sum_(world.must("reduction",
                        polder::reduction(polder::Reduction::sum, polder::DataType::float64, bytes / sizeof(double)))),
        mine_(sum_.count, 1.0),
        all_(sum_.count),
        request_(make()) {}

  void measure() {
    // In the background one takes up to twice as long: threads have to wake, and caches hold something else.
    const std::int64_t meanwhile = 4 * measure_in_turn();
    measure_hidden("form_beside_pause", [&] {
      // Cores are free then. What the timer is late is not the collective's.
      const std::int64_t from = now_ns();
      std::this_thread::sleep_for(std::chrono::nanoseconds(meanwhile));
      return now_ns() - from;
    });
    const Work work(meanwhile);
    measure_hidden("form_beside_work", [&] {
      work.run();
      return meanwhile;
    });
  }

 private:
  Collective make() {
    return world_.must("a collective",
                       Collective::allreduce(world_.runtime().world(), sum_, mine_.data(), all_.data()));
  }
  void must(const polder::Status& status) { world_.must("allreduce", status); }

  // Nanoseconds of the blocking one, the same at all ranks.
  std::int64_t measure_in_turn() {
    constexpr std::string_view kNames[] = {"form_blocking", "form_persistent", "form_nonblocking"};
    std::vector<std::function<void(std::uint64_t)>> bodies = {
        repeated([&] { must(allreduce(world_.runtime().world(), sum_, mine_.data(), all_.data(), kPatience)); }),
        repeated([&] { end(request_); }),
        repeated([&] {
          Collective fresh = make();
          end(fresh);
        }),
    };
    auto samples = sample_each_in_turn(world_, arguments_.plan, bodies);
    for (std::size_t form = 0; form < samples.size(); ++form) tell(kNames[form], samples[form]);
    std::ranges::sort(samples[0]);
    return std::int64_t(world_.from_zero(std::uint64_t(samples[0][samples[0].size() / 2])));
  }

  // What a round takes beyond what its ranks do meanwhile, which says how long it would take alone.
  template <class Meanwhile>
  void measure_hidden(std::string_view name, const Meanwhile& meanwhile) {
    std::int64_t hiding = 0;
    auto rounds = repeated([&] {
      must(request_.start());
      hiding += meanwhile();
      must(request_.wait(kPatience));
    });
    const std::uint64_t count = calibrate(world_, arguments_.plan, rounds, Timed::here);
    std::vector<double> samples;
    for (int i = 0; i < arguments_.plan.repetitions; ++i) {
      hiding = 0;
      const std::int64_t whole = time_body(world_, rounds, count, Timed::here);
      samples.push_back(double(std::max<std::int64_t>(whole - hiding, 0)) / double(count));
    }
    tell(name, samples);
  }

  template <class Once>
  static std::function<void(std::uint64_t)> repeated(Once once) {
    return [once](std::uint64_t iterations) mutable {
      for (std::uint64_t i = 0; i < iterations; ++i) once();
    };
  }

  void end(Collective& collective) {
    must(collective.start());
    must(collective.wait(kPatience));
  }

  void tell(std::string_view name, const std::vector<double>& samples) const {
    if (world_.rank() == 0) report({.name = name, .ranks = world_.size(), .size = bytes_, .samples = samples});
  }

  PolderWorld& world_;
  const Arguments& arguments_;
  const std::size_t bytes_;
  const polder::ReductionSpec sum_;
  const std::vector<double> mine_;
  std::vector<double> all_;
  Collective request_;
};

}  // namespace

void measure_forms(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t bytes : arguments.sizes_or({8, 65536, 4 << 20})) Forms(world, arguments, bytes).measure();
}

}  // namespace bench
