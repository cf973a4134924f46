#include "sort_job.hpp"

#include "bucket_sort.hpp"
#include "common/available_memory.hpp"
#include "common/output_file.hpp"
#include "memory.hpp"
#include "sample.hpp"
#include "share_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

namespace terasort {
namespace {

constexpr std::uint64_t kSlackRecords = 1024;

struct NodeNeed {
  std::uint64_t node;
  std::uint64_t bytes;
};

std::string megabytes(std::uint64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

class SortJob {
 public:
  SortJob(Team& team, Shuffle& shuffle, const SortOptions& options)
      : team_(team), shuffle_(shuffle), options_(options), progress_(options.progress && team.rank() == 0) {}

  Result<SortReport> run() {
    Status status = open_input();
    if (status.ok()) status = check_memory();
    if (status.ok()) status = create_output();
    if (status.ok()) status = sample();
    if (status.ok()) status = shuffle();
    if (status.ok()) status = sort_and_write();
    if (status.ok()) status = report();
    if (!status.ok()) return status;
    return report_;
  }

 private:
  Status open_input();
  Status check_memory();
  Status check_node(const std::vector<NodeNeed>& needs, const NodeNeed& mine);
  Status create_output();
  Status sample();
  Status shuffle();
  Status check_total();
  Status sort_and_write();
  Status write_share();
  Status report();

  Team& team_;
  Shuffle& shuffle_;
  const SortOptions& options_;
  Progress progress_;
  PhaseTimes times_;
  SortReport report_;

  File input_;
  std::uint64_t records_ = 0;
  Part part_;
  MemoryBound bound_;
  std::vector<std::uint64_t> shares_;  // records of each rank after the shuffle
  std::optional<apps::OutputFile> output_;
  std::optional<Splitters> splitters_;  // between ranks
  std::optional<RecordStore> store_;
};

Status SortJob::open_input() {
  Status status;
  Result<File> file = File::open(options_.input);
  status = file.status();
  if (file.ok()) {
    input_ = std::move(*file);
    const Result<std::uint64_t> records = record_count(input_);
    status = records.status();
    records_ = records.value_or(0);
  }
  status = agree(team_, status);
  if (!status.ok()) return status;
  // Ranks that see different files (a directory that is not shared) must not go on.
  const Result<std::vector<std::uint64_t>> counts = allgather(team_, records_);
  if (!counts.ok()) return counts.status();
  if (counts->front() != records_) {
    status = Status(Code::invalid_argument, "'" + options_.input + "' has " + std::to_string(records_) +
                                                " records here and " + std::to_string(counts->front()) + " at rank 0");
  }
  part_ = part_of(records_, team_.rank(), team_.size());
  return agree(team_, status);
}

Status SortJob::check_memory() {
  bound_ = memory_bound(options_, records_, team_.size(), shuffle_);
  const NodeNeed mine{node_identity(), bound_.bytes};
  const Result<std::vector<NodeNeed>> needs = allgather(team_, mine);
  if (!needs.ok()) return needs.status();
  return agree(team_, check_node(*needs, mine));
}

Status SortJob::check_node(const std::vector<NodeNeed>& needs, const NodeNeed& mine) {
  std::uint64_t needed = 0;
  for (const NodeNeed& need : needs)
    if (need.node == mine.node) needed += need.bytes;
  Result<std::uint64_t> available = options_.memory;
  if (options_.memory == 0) available = apps::available_memory();
  if (!available.ok()) return available.status();
  if (team_.rank() == 0) {
    std::fprintf(stderr,
                 "terasort: %llu records on %u ranks; memory bound %s per rank, %s on this node, which has %s\n",
                 static_cast<unsigned long long>(records_), team_.size(), megabytes(mine.bytes).c_str(),
                 megabytes(needed).c_str(), megabytes(*available).c_str());
  }
  if (needed <= *available) return {};
  return {Code::out_of_memory, "sorting '" + options_.input + "' needs up to " + megabytes(needed) +
                                   " on this node, and there are " + megabytes(*available) +
                                   "; use more nodes or a smaller file"};
}

Status SortJob::create_output() {
  Result<apps::OutputFile> output = apps::OutputFile::create(crew_of(team_), options_.output, records_ * kRecordBytes);
  if (!output.ok()) return std::move(output).status();
  output_.emplace(std::move(*output));
  return {};
}

Status SortJob::sample() {
  times_.resume();
  Result<Cuts> cuts = sample_cuts(team_, input_, part_, bound_.buckets);
  if (!cuts.ok()) return std::move(cuts).status();
  splitters_.emplace(std::move(cuts->ranks));
  times_.end(Phase::sample);
  Result<RecordStore> store = RecordStore::reserve(bound_.capacity, std::move(cuts->buckets));
  if (store.ok()) store_.emplace(std::move(*store));
  return agree(team_, store.status());
}

Status SortJob::shuffle() {
  Status status = agree(team_, shuffle_.prepare());
  if (!status.ok()) return status;

  InputPart input(input_, part_, options_.chunk_bytes);
  progress_.begin("shuffle", part_.size());
  times_.resume();
  status = shuffle_.run(input, *splitters_, *store_, progress_);
  times_.end(Phase::shuffle);
  status = agree(team_, status);
  return status.ok() ? check_total() : status;
}

// No record may be lost or doubled: the shares add up to the file.
Status SortJob::check_total() {
  Result<std::vector<std::uint64_t>> shares = allgather(team_, store_->size());
  if (!shares.ok()) return std::move(shares).status();
  shares_ = std::move(*shares);
  std::uint64_t sum = 0;
  for (const std::uint64_t share : shares_) sum += share;
  if (sum == records_) return {};
  return agree(team_, Status(Code::system, "the shuffle delivered " + std::to_string(sum) + " records of " +
                                               std::to_string(records_) +
                                               "; this is a bug or broken memory, and the output is not written"));
}

Status SortJob::sort_and_write() {
  times_.resume();
  return output_->commit(crew_of(team_), write_share(), options_.sync);
}

Status SortJob::write_share() {
  const std::uint64_t first = std::accumulate(shares_.begin(), shares_.begin() + team_.rank(), std::uint64_t{0});
  Result<ShareOutput> share = ShareOutput::prepare(*store_, output_->file(), first, options_.write_bytes);
  if (!share.ok()) return std::move(share).status();
  progress_.begin("write", store_->size());
  Status status;
  while (status.ok() && !share->done()) status = share->step(times_, progress_);
  return status;
}

Status SortJob::report() {
  times_.end(Phase::total);
  report_.input = options_.input;
  report_.output = options_.output;
  report_.records = records_;
  report_.ranks = team_.size();
  report_.buffer_bytes = options_.buffer_bytes;
  report_.memory_bound = bound_.bytes;
  return collect(team_, times_, store_->size(), report_);
}

}  // namespace

MemoryBound memory_bound(const SortOptions& options, std::uint64_t records, unsigned ranks, const Shuffle& shuffle) {
  return memory_bound(options, records, ranks, shuffle.buffer_bytes(part_of(records, 0, ranks).size()),
                      shuffle.receives_in_place());
}

MemoryBound memory_bound(const SortOptions& options, std::uint64_t records, unsigned ranks, std::uint64_t buffers,
                         bool in_place) {
  const auto room = std::uint64_t(std::ceil(double(records) / ranks * options.headroom)) + kSlackRecords;
  MemoryBound bound;
  // No rank can get more than there is.
  bound.capacity = std::min(room, records);
  bound.buckets = in_place ? 1 : RecordStore::buckets_for(bound.capacity);
  bound.bytes = RecordStore::bytes_for(bound.capacity, bound.buckets) + BucketSort::bytes_for(bound.capacity) +
                buffers + options.chunk_bytes + options.write_bytes +
                kSamplesPerRank * sizeof(PlacedKey) * (std::uint64_t{ranks} + 1);
  return bound;
}

Result<SortReport> sort_file(Team& team, Shuffle& shuffle, const SortOptions& options) {
  return SortJob(team, shuffle, options).run();
}

}  // namespace terasort
