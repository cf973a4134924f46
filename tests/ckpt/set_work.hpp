// Work whose answer does not depend on how many members do it, nor on how often they begin again: numbers dealt in blocks, and a
// sum over all of them in each step.
#pragma once

#include "core/ranks.hpp"
#include "util/random.hpp"

#include <polder/collective.hpp>
#include <polder/working_set.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace polder::test {

inline constexpr std::size_t kNumbers = 301;
inline constexpr std::uint64_t kSteps = 5;

// Member `place` of `size` has those from this one on.
inline std::size_t first_of(Rank place, Rank size) {
  return kNumbers * place / size;
}

inline void step_on(std::span<std::uint64_t> numbers, std::size_t first, std::uint64_t sum) {
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = util::mix(numbers[i] + sum + first + i);
}

inline std::vector<std::uint64_t> answer(std::uint64_t steps = kSteps) {
  std::vector<std::uint64_t> numbers(kNumbers, 1);
  for (std::uint64_t step = 0; step < steps; ++step)
    step_on(numbers, 0, std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
  return numbers;
}

class SetWork {
 public:
  using AfterStep = std::function<Status(Member& me)>;
  explicit SetWork(std::uint64_t steps = kSteps, AfterStep after = {}) : steps_(steps), after_(std::move(after)) {}

  // What is left behind in `answer` is this member's block.
  Status operator()(Member& me) {
    const std::size_t first = first_of(me.place(), me.size()), end = first_of(me.place() + 1, me.size());
    numbers.assign(end - first, 1);
    Status status = me.keep(numbers.data(), numbers.size() * 8);
    const Redistribute blocks = [&](SavedParts& parts) { return gather(parts, first); };
    if (status.ok()) status = me.begin(60s, blocks);
    began = me.epoch();
    while (status.ok() && me.epoch() < steps_) {
      status = step(me.group(), first);
      if (status.ok()) status = me.save(60s);
      if (status.ok() && after_) status = after_(me);
    }
    return status;
  }

  std::vector<std::uint64_t> numbers;
  std::uint64_t began = 0;  // the epoch at which the last turn did

 private:
  Status step(Group& group, std::size_t first) {
    std::uint64_t sum = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
    const auto spec = reduction(Reduction::sum, DataType::uint64, 1);
    if (!spec.ok()) return spec.status();
    Status status = allreduce(group, *spec, &sum, &sum, 60s);
    if (status.ok()) step_on(numbers, first, sum);
    return status;
  }

  // From those who had them before.
  Status gather(SavedParts& parts, std::size_t first) {
    const std::size_t end = first + numbers.size();
    Status status;
    for (Rank place = 0; place < parts.size() && status.ok(); ++place) {
      const std::size_t begins = first_of(place, parts.size()), ends = first_of(place + 1, parts.size());
      const std::size_t from = std::max(first, begins), to = std::min(end, ends);
      if (from < to)
        status = parts.read(place, (from - begins) * 8,
                            std::as_writable_bytes(std::span(numbers).subspan(from - first, to - from)), 60s);
    }
    return status;
  }

  std::uint64_t steps_;
  AfterStep after_;
};

}  // namespace polder::test
