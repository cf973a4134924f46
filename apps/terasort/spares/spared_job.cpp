#include "spared_job.hpp"

#include "../sample.hpp"
#include "../share_output.hpp"
#include "common/available_memory.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "delivery.hpp"
#include "member_team.hpp"

#include <polder/health.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <utility>

namespace terasort {
namespace {

// What a member tells the others when they begin, once more.
struct Known {
  std::uint64_t planned = 0;  // it has the splitters
  std::uint64_t tag = 0;      // of the output, then
  std::uint64_t named = 0;    // the output is whole and has its name
};

struct NewNeed {
  std::uint64_t node = 0;
  std::uint64_t bytes = 0;  // that this member has not taken yet
};

// What this rank has is in the members, and stays there when somebody else dies: each step does what is left of it.
class SparedJob {
 public:
  SparedJob(polder::Runtime& runtime, const SparedOptions& options)
      : runtime_(runtime), options_(options), progress_(options.sort.progress && runtime.rank() == 0) {}

  SparedOutcome run();

 private:
  Status work(polder::Member& me);
  Status open_input(const apps::Team& team);
  Status open_here();
  Status check_memory(const apps::Team& team);
  Status check_node(const apps::Team& team, const std::vector<NewNeed>& needs, const NewNeed& mine) const;
  Status learn(const apps::Team& team);
  Status plan(const apps::Team& team);
  Status adopt(const apps::Team& team, unsigned from);
  Status make_room(const apps::Team& team);
  Status shuffle(const apps::Team& team, std::size_t deaths);
  Status check_total(const apps::Team& team);
  Status write_share(const apps::Team& team);
  Status write_and_name(const apps::Team& team);
  Status report(const apps::Team& team);
  bool others_go_on(const Status& status, const polder::WorkingSet& set) const;
  void reached(Step step) const {
    if (options_.at_step) options_.at_step(step);
  }

  polder::Runtime& runtime_;
  const SparedOptions& options_;
  apps::Progress progress_;
  PhaseTimes times_;
  SortReport report_;

  std::optional<File> input_;
  std::uint64_t records_ = 0;
  MemoryBound bound_;
  std::vector<Known> known_;          // of all members
  bool planned_ = false;              // the two that follow are agreed
  std::vector<PlacedKey> splitters_;  // between the buckets of all places
  std::uint64_t tag_ = 0;             // of the output's hidden name
  std::optional<apps::OutputFile> output_;
  std::optional<Splitters> places_;  // between places
  std::optional<Share> share_;
  std::optional<Streams> streams_;  // of this place's part
  std::optional<polder::SegmentId> slots_;
  std::vector<std::uint64_t> sizes_;  // of each place's share, records
  std::optional<ShareOutput> writing_;
};

SparedOutcome SparedJob::run() {
  polder::WorkingSetSpec spec;
  spec.spares = options_.spares;
  spec.anew = true;  // there is nothing that only members had
  spec.patience = std::chrono::duration<double>(options_.sort.patience);
  polder::WorkingSet set(runtime_, spec);
  SparedOutcome outcome;
  outcome.status = set.run([this](polder::Member& me) {
    Status status = work(me);
    if (status.timed_out() && options_.give_up) {
      output_.reset();
      options_.give_up(status);
    }
    return status;
  });
  progress_.clear();
  outcome.recoveries = set.recoveries();
  if (outcome.status.ok() && set.place() == polder::Rank{0}) outcome.report = report_;
  if (outcome.status.ok() || others_go_on(outcome.status, set)) {
    if (output_) output_->keep();
  } else if (planned_ && !output_) {
    // A rank that died may have made the partial file: whoever knows its name removes it.
    (void)apps::OutputFile::join(options_.sort.output, tag_, 0);
  }
  return outcome;
}

// Whether this rank was given up by others, which may still need the partial file.
bool SparedJob::others_go_on(const Status& status, const polder::WorkingSet& set) const {
  std::size_t lost = 0;
  for (const polder::Recovery& recovery : set.recoveries()) lost += recovery.lost.size();
  const bool taken = status.code() == Code::closed && !status.message().empty();
  return taken || (status.code() == Code::peer_failed && lost <= options_.spares);
}

Status SparedJob::work(polder::Member& me) {
  const apps::Team team(me.runtime(), me.group(), options_.sort.patience);
  // Nobody sends to the slots of the last turn any more: all that live have ended it.
  if (slots_) (void)runtime_.delete_segment(*std::exchange(slots_, std::nullopt));
  reached(Step::sample);
  Status status = open_input(team);
  if (status.ok()) status = check_memory(team);
  if (status.ok()) status = learn(team);
  if (!status.ok()) return status;
  if (std::ranges::none_of(known_, [](const Known& one) { return one.named != 0; })) {
    status = plan(team);
    // Nobody makes the output before all know its hidden name: who dies then leaves no file that nobody removes.
    if (status.ok()) status = team.agree({});
    if (status.ok()) reached(Step::agreed);
    if (status.ok()) status = make_room(team);
    if (status.ok()) status = shuffle(team, me.recoveries().size());
    if (status.ok()) status = check_total(team);
    if (status.ok()) status = write_and_name(team);
  }
  return status.ok() ? report(team) : status;
}

Status SparedJob::open_input(const apps::Team& team) {
  Status status = team.agree(input_ ? Status() : open_here());
  if (!status.ok()) return status;
  // Members that see different files (a directory that is not shared) must not go on.
  const Result<std::vector<std::uint64_t>> counts = team.allgather(records_);
  if (!counts.ok()) return counts.status();
  if (counts->front() != records_)
    status = Status(Code::invalid_argument, "'" + options_.sort.input + "' has " + std::to_string(records_) +
                                                " records here and " + std::to_string(counts->front()) + " at rank 0");
  return team.agree(status);
}

Status SparedJob::open_here() {
  Result<File> file = File::open(options_.sort.input);
  if (!file.ok()) return std::move(file).status();
  const Result<std::uint64_t> records = record_count(*file);
  if (!records.ok()) return records.status();
  records_ = *records;
  input_ = std::move(*file);
  return {};
}

// Of members that are new: the others have what they need.
Status SparedJob::check_memory(const apps::Team& team) {
  bound_ =
      memory_bound(options_.sort, records_, team.size(), Delivery::bytes_for(team.size(), options_.sort.buffer_bytes));
  const NewNeed mine{node_identity(), share_ ? 0 : bound_.bytes};
  const Result<std::vector<NewNeed>> needs = team.allgather(mine);
  if (!needs.ok()) return needs.status();
  return team.agree(share_ ? Status() : check_node(team, *needs, mine));
}

Status SparedJob::check_node(const apps::Team& team, const std::vector<NewNeed>& needs, const NewNeed& mine) const {
  std::uint64_t needed = 0;
  for (const NewNeed& need : needs) needed += need.node == mine.node ? need.bytes : 0;
  Result<std::uint64_t> available = options_.sort.memory;
  if (options_.sort.memory == 0) available = apps::available_memory();
  if (!available.ok()) return available.status();
  if (team.rank() == 0 && runtime_.rank() == 0)
    std::fprintf(
        stderr,
        "terasort: %llu records on %u ranks, %u spares; memory bound %s per rank, %s on this node, which has %s\n",
        static_cast<unsigned long long>(records_), team.size(), options_.spares, apps::megabytes(mine.bytes).c_str(),
        apps::megabytes(needed).c_str(), apps::megabytes(*available).c_str());
  if (needed <= *available) return {};
  return {Code::out_of_memory, "sorting '" + options_.sort.input + "' needs up to " + apps::megabytes(needed) +
                                   " on this node, and there are " + apps::megabytes(*available) +
                                   "; use more nodes or a smaller file"};
}

Status SparedJob::learn(const apps::Team& team) {
  const Known mine{planned_, tag_, output_ && output_->has_its_name()};
  Result<std::vector<Known>> all = team.allgather(mine);
  if (!all.ok()) return std::move(all).status();
  known_ = std::move(*all);
  return {};
}

// Where to cut, and what the output is called until it is whole: decided once, before records move, and kept by all that live.
Status SparedJob::plan(const apps::Team& team) {
  times_.resume();
  const auto first = std::ranges::find_if(known_, [](const Known& one) { return one.planned != 0; });
  if (first != known_.end())
    return planned_ && std::ranges::all_of(known_, [](const Known& one) { return one.planned != 0; })
               ? Status()
               : adopt(team, unsigned(first - known_.begin()));
  MemberTeam members(team);
  Result<std::vector<PlacedKey>> splitters =
      sample_splitters(members, *input_, part_of(records_, team.rank(), team.size()), bound_.buckets);
  if (!splitters.ok()) return std::move(splitters).status();
  const Result<std::uint64_t> tag = team.maximum(team.rank() == 0 ? std::random_device()() : 0);
  if (!tag.ok()) return tag.status();
  splitters_ = std::move(*splitters);
  tag_ = *tag;
  planned_ = true;
  times_.end(Phase::sample);
  return {};
}

Status SparedJob::adopt(const apps::Team& team, unsigned from) {
  std::vector<PlacedKey> splitters(std::size_t{team.size()} * bound_.buckets - 1);
  if (team.rank() == from) splitters = splitters_;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(splitters));
  Status status = bytes.empty()
                      ? Status()
                      : team.named("the splitters of another rank",
                                   polder::broadcast(team.group(), from, bytes.data(), bytes.size(), team.patience()));
  if (!status.ok()) return status;
  splitters_ = std::move(splitters);
  tag_ = known_[from].tag;
  planned_ = true;
  return {};
}

Status SparedJob::make_room(const apps::Team& team) {
  Status status;
  if (!output_) {
    Result<apps::OutputFile> output = apps::OutputFile::join(options_.sort.output, tag_, records_ * kRecordBytes);
    status = output.status();
    if (output.ok()) output_.emplace(std::move(*output));
  }
  if (status.ok() && !share_) {
    Cuts cuts = cuts_of(splitters_, team.rank(), bound_.buckets);
    places_.emplace(std::move(cuts.ranks));
    Result<RecordStore> store = RecordStore::reserve(bound_.capacity, std::move(cuts.buckets));
    status = store.status();
    if (store.ok()) share_.emplace(Share{std::move(*store), std::vector<std::uint64_t>(team.size())});
    streams_.emplace(*input_, part_of(records_, team.rank(), team.size()), options_.sort.chunk_bytes, *places_);
  }
  return team.agree(status);
}

Status SparedJob::shuffle(const apps::Team& team, std::size_t deaths) {
  // Of the time before a death there may be one with the last number at ranks that were slow to leave.
  slots_ = polder::SegmentId(1 + deaths);
  const std::uint64_t all = part_of(records_, team.rank(), team.size()).size();
  bool was_half = false;
  progress_.begin("shuffle", all);
  reached(Step::shuffle);
  times_.resume();
  Delivery delivery(team, *slots_, options_.sort.buffer_bytes, *streams_, *share_);
  Status status = delivery.run([&](std::uint64_t looked) {
    progress_.at(looked);
    if (!was_half && looked >= all / 2) reached(Step::half_shuffled), was_half = true;
  });
  times_.end(Phase::shuffle);
  if (status.ok()) reached(Step::shuffled);
  return status;
}

// The shares add up to the file.
Status SparedJob::check_total(const apps::Team& team) {
  Result<std::vector<std::uint64_t>> sizes = team.allgather(share_->store.size());
  if (!sizes.ok()) return std::move(sizes).status();
  sizes_ = std::move(*sizes);
  const std::uint64_t sum = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
  if (sum == records_) return {};
  return team.agree({Code::system, "the shuffle delivered " + std::to_string(sum) + " records of " +
                                       std::to_string(records_) +
                                       "; this is a bug or broken memory, and the output is not written"});
}

// What is written stays so. Between two buckets the dead are looked for: who replaces one needs this rank to send.
Status SparedJob::write_share(const apps::Team& team) {
  times_.resume();
  if (!writing_) {
    const std::uint64_t first = std::accumulate(sizes_.begin(), sizes_.begin() + team.rank(), std::uint64_t{0});
    Result<ShareOutput> writing =
        ShareOutput::prepare(share_->store, output_->file(), first, options_.sort.write_bytes);
    if (!writing.ok()) return std::move(writing).status();
    writing_.emplace(std::move(*writing));
  }
  reached(Step::sorting);
  progress_.begin("write", share_->store.size());
  bool was_half = false;
  while (!writing_->done()) {
    Status status = check_members(team);
    if (status.ok()) status = writing_->step(times_, progress_);
    if (!status.ok()) return status;
    if (!was_half && writing_->written() >= share_->store.size() / 2) reached(Step::half_written), was_half = true;
  }
  reached(Step::written);
  return {};
}

// The output gets its name when all have written their shares.
Status SparedJob::write_and_name(const apps::Team& team) {
  Status written = write_share(team);
  if (apps::lost_others(written)) return written;
  return output_->commit(crew_of(team), std::move(written), options_.sort.sync);
}

Status SparedJob::report(const apps::Team& team) {
  reached(Step::named);
  times_.end(Phase::total);
  report_.program = "polder";
  report_.input = options_.sort.input;
  report_.output = options_.sort.output;
  report_.records = records_;
  report_.ranks = team.size();
  report_.buffer_bytes = options_.sort.buffer_bytes;
  report_.memory_bound = bound_.bytes;
  MemberTeam members(team);
  return collect(members, times_, share_ ? share_->store.size() : 0, report_);
}

}  // namespace

SparedOutcome sort_with_spares(polder::Runtime& runtime, const SparedOptions& options) {
  return SparedJob(runtime, options).run();
}

}  // namespace terasort
