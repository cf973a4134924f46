#include "mapping/step.hpp"

#include <polder/allocation.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace bench {
namespace {

constexpr polder::Timeout kStepPatience = std::chrono::seconds(60);

std::span<const polder::Rank> around(const polder::CommunicationPattern& pattern, polder::Rank place) {
  return std::span(pattern.neighbour).subspan(pattern.begin[place], pattern.begin[place + 1] - pattern.begin[place]);
}

}  // namespace

void ensure(const polder::Status& status, const char* what) {
  if (status.ok()) [[likely]]
    return;
  std::fprintf(stderr, "bench-mapping: %s: %s\n", what, status.to_string().c_str());
  std::_Exit(EXIT_FAILURE);
}

GridStep::GridStep(polder::Runtime& runtime, polder::Group& group, const polder::CommunicationPattern& pattern,
                   std::size_t most_bytes)
    : runtime_(runtime), group_(group), most_bytes_(most_bytes), source_(most_bytes) {
  const polder::Rank me = group.index();
  std::size_t most = 1;  // neighbours of any place: flags are as many everywhere
  for (polder::Rank place = 0; place < pattern.places(); ++place) most = std::max(most, around(pattern, place).size());
  for (const polder::Rank member : around(pattern, me)) {
    const auto back = around(pattern, member);
    neighbours_.push_back({member, polder::Rank(std::find(back.begin(), back.end(), me) - back.begin())});
  }
  auto slots = runtime.allocate(group, {most * most_bytes, std::uint32_t(2 * most)}, kStepPatience);
  ensure(slots.status(), "memory for neighbours");
  slots_ = *std::move(slots);
}

GridStep::~GridStep() {
  ensure(slots_->free(kStepPatience), "giving memory back");
}

// Whoever is two rounds ahead has had the flag of the last one from here: two flags for each neighbour are enough.
void GridStep::run(std::size_t bytes) {
  for (const Neighbour& neighbour : neighbours_) {
    const polder::Rank rank = group_.absolute(neighbour.member);
    ensure(runtime_.put_notify(source_.data(), slots_->at(rank, neighbour.slot * most_bytes_), bytes,
                               {.id = flag(neighbour.slot)}, polder::Post(polder::Until::remote, kStepPatience)),
           "a put");
  }
  for (polder::Rank slot = 0; slot < neighbours_.size(); ++slot) {
    ensure(runtime_.wait_some(slots_->id(), flag(slot), 1, kStepPatience).status(), "waiting for a neighbour");
    ensure(runtime_.reset(slots_->id(), flag(slot)).status(), "resetting a flag");
  }
  ++round_;
}

void GridStep::barrier() {
  ensure(group_.barrier(kStepPatience), "a barrier");
}

std::uint64_t GridStep::largest(std::uint64_t value) {
  const auto all = gather(value);
  return *std::max_element(all.begin(), all.end());
}

std::vector<std::uint64_t> GridStep::gather(std::uint64_t value) {
  std::vector<std::uint64_t> all(group_.size());
  ensure(group_.allgather(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(all)), kStepPatience),
         "a gather");
  return all;
}

}  // namespace bench
