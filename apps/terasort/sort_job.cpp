#include "sort_job.hpp"

#include "common/available_memory.hpp"
#include "common/output_file.hpp"
#include "memory.hpp"
#include "sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
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
    if (status.ok()) status = sort();
    if (status.ok()) status = write();
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
  Status sort();
  Status write();
  Status write_share(std::uint64_t first);
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
  std::optional<Splitters> splitters_;
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
  const std::uint64_t largest_part = part_of(records_, 0, team_.size()).size();
  bound_ = memory_bound(options_, records_, team_.size(), shuffle_.buffer_bytes(largest_part));
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
  Result<Splitters> splitters = sample_splitters(team_, input_, part_);
  if (!splitters.ok()) return std::move(splitters).status();
  splitters_.emplace(std::move(*splitters));
  times_.end(Phase::sample);
  return {};
}

Status SortJob::shuffle() {
  Status status = shuffle_.prepare();
  if (status.ok()) {
    Result<RecordStore> store = RecordStore::reserve(bound_.capacity);
    status = store.status();
    if (store.ok()) store_.emplace(std::move(*store));
  }
  status = agree(team_, status);
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

Status SortJob::sort() {
  times_.resume();
  const unsigned rank = team_.rank();
  Status status = store_->sort({splitters_->lowest_prefix(rank), splitters_->highest_prefix(rank)});
  times_.end(Phase::sort);
  // Not agreed here: write() ends with an agreement, and waiting for others now would only cost time.
  if (!status.ok()) return output_->commit(crew_of(team_), std::move(status), false);
  return {};
}

Status SortJob::write() {
  times_.resume();
  std::uint64_t first = 0;
  for (unsigned rank = 0; rank < team_.rank(); ++rank) first += shares_[rank];
  Status status = write_share(first);
  times_.end(Phase::write);
  return output_->commit(crew_of(team_), std::move(status), options_.sync);
}

Status SortJob::write_share(std::uint64_t first) {
  const std::uint64_t at_once = std::max<std::uint64_t>(options_.write_bytes / kRecordBytes, 1);
  std::vector<std::byte> block(std::min(at_once, store_->size()) * kRecordBytes);
  progress_.begin("write", store_->size());
  for (std::uint64_t at = 0; at < store_->size(); at += at_once) {
    const std::uint64_t count = std::min(at_once, store_->size() - at);
    store_->gather(at, count, block.data());
    Status status = output_->file().write_at((first + at) * kRecordBytes, std::span(block).first(count * kRecordBytes));
    if (!status.ok()) return status;
    progress_.at(at + count);
  }
  return {};
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

MemoryBound memory_bound(const SortOptions& options, std::uint64_t records, unsigned ranks, std::uint64_t buffers) {
  const auto room = std::uint64_t(std::ceil(double(records) / ranks * options.headroom)) + kSlackRecords;
  MemoryBound bound;
  // No rank can get more than there is.
  bound.capacity = std::min(room, records);
  bound.bytes = bound.capacity * RecordStore::kBytesPerRecord + buffers + options.chunk_bytes + options.write_bytes +
                kSamplesPerRank * sizeof(PlacedKey) * (std::uint64_t{ranks} + 1);
  return bound;
}

Result<SortReport> sort_file(Team& team, Shuffle& shuffle, const SortOptions& options) {
  return SortJob(team, shuffle, options).run();
}

}  // namespace terasort
