#include "local_work.hpp"

namespace fmm {
namespace {

constexpr int kPairsAtOnce = 10'000;
constexpr std::uint64_t kBodyPairsAtOnce = 4'000'000;

}  // namespace

LocalWork::LocalWork(const Place& place, FarField& far, const Kernels& kernels, std::uint64_t few)
    : place_(place), far_(far), kernels_(kernels), few_(few) {
  if (!place_.tree.cells.empty()) open_.push_back({0, 0});
}

bool LocalWork::advance() {
  switch (stage_) {
    case Stage::walk:
      walk();
      if (!open_.empty()) return true;
      far_.flush();
      near_.prepare(place_.tree.cells.size());
      stage_ = Stage::sum;
      return true;
    case Stage::sum:
      if (near_.advance(kernels_, place_.tree.cells, place_.bodies, place_.bodies, place_.field, kBodyPairsAtOnce))
        return true;
      stage_ = Stage::done;
      return false;
    case Stage::done: break;
  }
  return false;
}

void LocalWork::walk() {
  for (int i = 0; i < kPairsAtOnce && !open_.empty(); ++i) {
    const Pair pair = open_.back();
    open_.pop_back();
    meet(pair);
  }
}

void LocalWork::meet(Pair pair) {
  const Cell& target = place_.tree.cells[pair.target];
  const Cell& source = place_.tree.cells[pair.source];
  Effort& effort = place_.efforts[pair.target];
  const Meeting meeting = meeting_of(target, source, few_);
  switch (meeting) {
    case Meeting::far:
      far_.add(target, place_.locals + pair.target * place_.stride, source,
               place_.multipoles + pair.source * place_.stride);
      ++effort.translations;
      return;
    case Meeting::near:
      near_.add(pair.target, source.bodies());
      effort.body_pairs += std::uint64_t{target.count} * source.count;
      return;
    case Meeting::open_target:
    case Meeting::open_source:
    case Meeting::open_both: break;
  }
  const bool targets = meeting != Meeting::open_source, sources = meeting != Meeting::open_target;
  const std::uint32_t target_begin = targets ? target.first_child : pair.target;
  const std::uint32_t source_begin = sources ? source.first_child : pair.source;
  const std::uint32_t target_end = target_begin + (targets ? target.children : 1);
  const std::uint32_t source_end = source_begin + (sources ? source.children : 1);
  for (std::uint32_t t = target_begin; t < target_end; ++t)
    for (std::uint32_t s = source_begin; s < source_end; ++s) open_.push_back({t, s});
}

}  // namespace fmm
