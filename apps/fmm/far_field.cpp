#include "far_field.hpp"

#include <chrono>
#include <unordered_map>
#include <vector>

namespace fmm {
namespace {

// From source to target, in halves of the smaller side, and how many times the sides were halved between them.
struct Way {
  std::int64_t x, y, z;
  int target_level, source_level;  // the higher of the two is 0: only the difference counts

  friend bool operator==(const Way&, const Way&) = default;
};

Way way_between(const Cell& target, const Cell& source) {
  const int finest = int(std::max(target.level, source.level));
  const auto centre = [&](std::uint32_t at, std::uint32_t level) {
    return std::int64_t(2 * std::uint64_t{at} + 1) << (finest - int(level));
  };
  return {centre(target.x, target.level) - centre(source.x, source.level),
          centre(target.y, target.level) - centre(source.y, source.level),
          centre(target.z, target.level) - centre(source.z, source.level), finest - int(target.level),
          finest - int(source.level)};
}

struct WayHash {
  std::size_t operator()(const Way& way) const {
    std::uint64_t hash = std::uint64_t(way.target_level) * 32 + std::uint64_t(way.source_level);
    for (const std::int64_t part : {way.x, way.y, way.z}) hash = (hash ^ std::uint64_t(part)) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
  }
};

template <class T>
class Bucket {
 public:
  static constexpr unsigned kRoom = 64;  // the table is read once for so many

  Bucket(unsigned order, const Way& way)
      : table_(multipole_to_local<T>(order, {0.5 * double(way.x), 0.5 * double(way.y), 0.5 * double(way.z)},
                                     double(1ull << way.source_level), double(1ull << way.target_level))) {
    sources_.reserve(kRoom);
    targets_.reserve(kRoom);
  }

  bool add(const double* source, double* target) {
    sources_.push_back(source);
    targets_.push_back(target);
    return sources_.size() < kRoom;
  }

  std::size_t translate(const Kernels& kernels, void* scratch) {
    constexpr bool kSingle = sizeof(T) == sizeof(float);
    const unsigned columns = kSingle ? kernels.float_columns : kernels.columns;
    const std::size_t all = sources_.size();
    for (std::size_t first = 0; first < all; first += columns) {
      const unsigned count = unsigned(std::min<std::size_t>(columns, all - first));
      const Moves moves{sources_.data() + first, targets_.data() + first, count};
      if constexpr (kSingle) {
        kernels.translate_float(view_of(table_), moves, scratch);
      } else {
        kernels.translate(view_of(table_), moves, scratch);
      }
    }
    sources_.clear();
    targets_.clear();
    return all;
  }

 private:
  TranslationTable<T> table_;
  std::vector<const double*> sources_;
  std::vector<double*> targets_;
};

template <class T>
class BucketedFarField final : public FarField {
 public:
  explicit BucketedFarField(const Expansions& expansions) : expansions_(expansions), equal_(kEqualWays) {}

  void add(const Cell& target, double* local, const Cell& source, const double* multipole) override {
    Bucket<T>& bucket = target.level == source.level ? equal_bucket(target, source) : other_bucket(target, source);
    if (!bucket.add(multipole, local)) translate(bucket);
  }

  void flush() override {
    for (const auto& bucket : equal_)
      if (bucket) translate(*bucket);
    for (auto& [way, bucket] : others_) translate(bucket);
  }

  std::uint64_t translations() const override { return translations_; }
  double seconds() const override { return std::chrono::duration<double>(time_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  // Cells of equal size whose parents touch lie at most 3 sides apart.
  static constexpr int kReach = 3;
  static constexpr int kAcross = 2 * kReach + 1;
  static constexpr std::size_t kEqualWays = std::size_t(kAcross) * kAcross * kAcross;
  static constexpr std::size_t kMostOthers = 8192;  // tables are kept: so many take tens of megabytes

  Bucket<T>& equal_bucket(const Cell& target, const Cell& source) {
    const int x = int(target.x - source.x), y = int(target.y - source.y), z = int(target.z - source.z);
    const int index = ((x + kReach) * kAcross + y + kReach) * kAcross + z + kReach;
    std::unique_ptr<Bucket<T>>& bucket = equal_[std::size_t(index)];
    if (!bucket) bucket = std::make_unique<Bucket<T>>(expansions_.order(), Way{2L * x, 2L * y, 2L * z, 0, 0});
    return *bucket;
  }

  Bucket<T>& other_bucket(const Cell& target, const Cell& source) {
    const Way way = way_between(target, source);
    auto found = others_.find(way);
    if (found != others_.end()) return found->second;
    if (others_.size() >= kMostOthers) {
      for (auto& [other, bucket] : others_) translate(bucket);
      others_.clear();
    }
    return others_.try_emplace(way, expansions_.order(), way).first->second;
  }

  void translate(Bucket<T>& bucket) {
    const Clock::time_point start = Clock::now();
    translations_ += bucket.translate(expansions_.kernels(), expansions_.scratch());
    time_ += Clock::now() - start;
  }

  const Expansions& expansions_;
  std::vector<std::unique_ptr<Bucket<T>>> equal_;
  std::unordered_map<Way, Bucket<T>, WayHash> others_;
  std::uint64_t translations_ = 0;
  Clock::duration time_{};
};

}  // namespace

std::unique_ptr<FarField> make_far_field(const Expansions& expansions, Precision precision) {
  if (precision == Precision::single) return std::make_unique<BucketedFarField<float>>(expansions);
  return std::make_unique<BucketedFarField<double>>(expansions);
}

}  // namespace fmm
