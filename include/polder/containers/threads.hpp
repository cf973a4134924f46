// A unit's part of an algorithm by several threads.
//
//   for_each(Threads{4}, a, [](double& x) { x = std::sqrt(x); });
//   const double sum = reduce(Threads{4}, a, 0.0);
//
// Work of a unit on its own is shared out; collective work is done by the calling thread. Functions are called
// from all threads at once, each for other elements. All else is as without threads.
#pragma once

#include <polder/containers/reduce.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace polder::containers {

// How many threads a unit works with, the calling one among them. 0: as many as the machine has (units of one machine
// share it: say how many each may take).
struct Threads {
  std::size_t count = 0;

  std::size_t number() const {
    return count != 0 ? count : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  }
};

// work(0), work(1), ..., each by a thread. An exception of one is thrown here, when all have ended.
template <class Work>
void by_threads(std::size_t threads, Work&& work) {
  std::vector<std::exception_ptr> thrown(threads);
  auto guarded = [&](std::size_t thread) {
    try {
      work(thread);
    } catch (...) {
      thrown[thread] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(guarded, thread);
    guarded(0);
  }
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

// Calls visit(elements, index) as for_each_span does, by threads, of which each gets as many elements as the others, one
// behind the other; prepare(number of threads) before, and visit gets the thread's number first. What visit() throws leaves
// this unit out of step, as in for_each_own_span.
template <DistributedRange R, class Prepare, class Visit>
void share_spans(Threads threads, R&& range, Prepare&& prepare, Visit&& visit) {
  constexpr std::size_t kWorthwhile = 1024;  // elements; a thread costs some tens of microseconds
  const auto view = view_of(range);
  std::vector<ElementRun<decltype(view)::kDimensions>> runs;
  std::size_t elements = 0;
  for_each_run(view, view.container().team().unit(), [&](const auto& run) {
    runs.push_back(run);
    elements += run.count;
  });
  const std::size_t number = std::clamp<std::size_t>(elements / kWorthwhile, 1, threads.number());
  prepare(number);
  const auto visit_share = [&](std::size_t thread) {
    const std::size_t begin = thread * elements / number, end = (thread + 1) * elements / number;
    std::size_t before = 0;  // elements of earlier runs
    for (auto run : runs) {
      const std::size_t from = std::max(begin, before), to = std::min(end, before + run.count);
      const std::size_t skipped = from - std::min(from, before);
      before += run.count;
      if (from >= to) continue;
      run.place += skipped;
      run.index.back() += skipped;
      run.count = to - from;
      visit(thread, view.elements(run), run.index);
    }
  };
  view.container().team().own_part([&] { by_threads(number, visit_share); });
}
template <DistributedRange R, class Visit>
void share_spans(Threads threads, R&& range, Visit&& visit) {
  share_spans(
      threads, range, [](std::size_t) {},
      [&](std::size_t, auto elements, const auto& index) { visit(elements, index); });
}

template <DistributedRange R, class T>
void fill(Threads threads, R&& range, const T& value) {
  share_spans(threads, range, [&](auto elements, const auto&) { std::fill(elements.begin(), elements.end(), value); });
  meet(range, "fill");
}
template <DistributedRange R, class F>
void for_each(Threads threads, R&& range, F&& function) {
  share_spans(threads, range, [&](auto elements, const auto&) {
    for (auto& element : elements) function(element);
  });
  meet(range, "for_each");
}
template <DistributedRange R, class F>
void for_each_index(Threads threads, R&& range, F&& function) {
  share_spans(threads, range, [&](auto elements, auto index) {
    for (auto& element : elements) {
      function(std::as_const(index), element);
      ++index.back();
    }
  });
  meet(range, "for_each_index");
}

// The parts of threads are combined in their order.
template <DistributedRange R, class T, class Op, class Map>
T transform_reduce(Threads threads, R&& range, T init, Op op, Map map) {
  std::vector<std::optional<T>> parts;
  share_spans(
      threads, range, [&](std::size_t number) { parts.resize(number); },
      [&](std::size_t thread, auto elements, const auto&) {
        std::optional<T> part = parts[thread];  // on this thread's stack, not beside the others'
        for (const auto& element : elements) part = part ? op(*part, T(map(element))) : T(map(element));
        parts[thread] = part;
      });
  std::optional<T> mine;
  for (const auto& part : parts)
    if (part) mine = mine ? op(*mine, *part) : *part;
  const auto all = combine_parts(view_of(range).container().team(), mine, op, of_array("reduce", range));
  return all ? op(init, *all) : init;
}
template <DistributedRange R, class T, class Op = std::plus<>>
T reduce(Threads threads, R&& range, T init, Op op = {}) {
  return transform_reduce(threads, range, init, op, [](const auto& element) { return element; });
}
template <DistributedRange R, class Predicate>
std::size_t count_if(Threads threads, R&& range, Predicate predicate) {
  return transform_reduce(threads, range, std::size_t{0}, std::plus<>(),
                          [&](const auto& element) { return std::size_t(predicate(element) ? 1 : 0); });
}

}  // namespace polder::containers
