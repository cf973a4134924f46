#include "sample.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace terasort {
namespace {

constexpr std::size_t kRun = 40;  // records read in one go
constexpr std::size_t kRuns = kSamplesPerRank / kRun;

Status sample_run(const File& file, Part run, std::vector<PlacedKey>& keys) {
  std::vector<std::byte> records(run.size() * kRecordBytes);
  Status status = file.read_at(run.begin * kRecordBytes, records);
  if (!status.ok()) return status;
  for (std::uint64_t i = 0; i < run.size(); ++i)
    keys.push_back(PlacedKey::of(records.data() + i * kRecordBytes, run.begin + i));
  return {};
}

// Ranks with few records fill up with a key that no record has.
constexpr PlacedKey kNoKey{std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()};

}  // namespace

Result<std::vector<PlacedKey>> sample_keys(const File& file, Part part) {
  std::vector<PlacedKey> keys;
  keys.reserve(kSamplesPerRank);
  const bool all = part.size() <= kSamplesPerRank;
  for (unsigned i = 0; i < kRuns; ++i) {
    Part run = part_of(part.size(), i, kRuns);
    run = {part.begin + run.begin, part.begin + (all ? run.end : std::min(run.end, run.begin + kRun))};
    if (run.size() == 0) continue;
    Status status = sample_run(file, run, keys);
    if (!status.ok()) return status;
  }
  return keys;
}

Cuts cuts_of(const std::vector<PlacedKey>& splitters, unsigned rank, unsigned buckets) {
  std::vector<PlacedKey> between_ranks;
  for (std::size_t i = buckets; i <= splitters.size(); i += buckets) between_ranks.push_back(splitters[i - 1]);
  Splitters ranks(std::move(between_ranks));
  const auto mine = splitters.begin() + std::ptrdiff_t(std::size_t{rank} * buckets);
  Splitters within({mine, mine + std::ptrdiff_t(buckets - 1)}, ranks.range_of(rank));
  return {std::move(ranks), std::move(within)};
}

Result<std::vector<PlacedKey>> sample_splitters(Team& team, const File& file, Part part, unsigned buckets) {
  Result<std::vector<PlacedKey>> mine = sample_keys(file, part);
  Status status = agree(team, mine.status());
  if (!status.ok()) return status;
  mine->resize(kSamplesPerRank, kNoKey);

  const bool chooser = team.rank() == 0;
  std::vector<PlacedKey> all(chooser ? kSamplesPerRank * team.size() : 0);
  status = team.gather(std::as_bytes(std::span(*mine)), std::as_writable_bytes(std::span(all)));
  if (!status.ok()) return status;

  std::vector<PlacedKey> splitters(std::size_t{team.size()} * buckets - 1);
  if (chooser) {
    std::erase(all, kNoKey);
    splitters = Splitters::choose(std::move(all), team.size() * buckets);
  }
  status = team.broadcast(std::as_writable_bytes(std::span(splitters)));
  if (!status.ok()) return status;
  return splitters;
}

Result<Cuts> sample_cuts(Team& team, const File& file, Part part, unsigned buckets) {
  const Result<std::vector<PlacedKey>> splitters = sample_splitters(team, file, part, buckets);
  if (!splitters.ok()) return splitters.status();
  return cuts_of(*splitters, team.rank(), buckets);
}

}  // namespace terasort
