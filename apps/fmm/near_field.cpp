#include "near_field.hpp"

#include <algorithm>
#include <chrono>

namespace fmm {
namespace {

// Ranges in order, those that touch as one; returns how many are left. They never overlap: a pair of bodies meets once.
std::size_t merge(std::span<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::size_t count = 0;
  for (const Range& range : ranges) {
    if (count > 0 && ranges[count - 1].end == range.begin) {
      ranges[count - 1].end = range.end;
    } else {
      ranges[count++] = range;
    }
  }
  return count;
}

}  // namespace

void NearField::prepare(std::size_t cells) {
  std::vector<std::uint32_t> places(cells + 1);
  for (const Entry& entry : pairs_) ++places[entry.target + 1];
  for (std::size_t i = 0; i < cells; ++i) places[i + 1] += places[i];
  ranges_.resize(pairs_.size());
  std::vector<std::uint32_t> at(places.begin(), places.end() - 1);
  for (const Entry& entry : pairs_) ranges_[at[entry.target]++] = entry.source;
  std::vector<Entry>().swap(pairs_);

  first_.assign(cells + 1, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    first_[i] = std::uint32_t(kept);
    const std::span<Range> own = std::span(ranges_).subspan(places[i], places[i + 1] - places[i]);
    const std::size_t count = merge(own);
    std::copy_n(own.begin(), count, ranges_.begin() + std::ptrdiff_t(kept));
    kept += count;
  }
  first_[cells] = std::uint32_t(kept);
  ranges_.resize(kept);
}

bool NearField::advance(const Kernels& kernels, std::span<const Cell> cells, const Bodies& targets,
                        const Bodies& sources, const Field& field, std::uint64_t most) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t enough = body_pairs_ + most < most ? ~std::uint64_t{0} : body_pairs_ + most;
  for (; next_ + 1 < first_.size() && body_pairs_ < enough; ++next_) {
    const std::size_t count = first_[next_ + 1] - first_[next_];
    if (count == 0) continue;
    const Range* ranges = ranges_.data() + first_[next_];
    kernels.direct(targets, cells[next_].bodies(), field, sources, ranges, count);
    std::uint64_t bodies = 0;
    for (std::size_t i = 0; i < count; ++i) bodies += ranges[i].end - ranges[i].begin;
    body_pairs_ += bodies * cells[next_].count;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return next_ + 1 < first_.size();
}

}  // namespace fmm
