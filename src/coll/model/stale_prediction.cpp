#include "coll/model/stale_prediction.hpp"

#include "coll/model/model_vector.hpp"
#include "coll/model/prediction.hpp"
#include "coll/stale/stale_layout.hpp"
#include "coll/stale/stale_part.hpp"
#include "coll/stale/stale_shapes.hpp"
#include "coll/table/wire_call.hpp"
#include "util/random.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace polder::coll {
namespace {

constexpr Rank kMostByCube = 300'000, kMostByPairs = 512, kMostOfDeaths = 4096;

// What a member is late with before its call of that number.
double straggle(const Noise& noise, Rank member, std::uint64_t call) {
  if (noise.probability == 0) return 0;
  util::Random random(util::mix(noise.seed ^ util::mix(member + 0x7374726167ULL)) + call);
  return random.unit() < noise.probability ? -noise.mean * std::log1p(-random.unit()) : 0;
}

Status wrong_stale_model(const std::string& what) {
  return {Code::invalid_argument, "stale allreduce in virtual time: " + what};
}

// What one member's calls took, all members' together.
class CallTally {
 public:
  void add(double entered, double left) {
    ++calls_;
    sum_ += left - entered;
    longest_ = std::max(longest_, left - entered);
    last_ = std::max(last_, left);
  }
  void note(const Staleness& told) {
    waits_ += told.waited_for.has_value();
    const std::uint64_t age = told.clock - std::min(told.clock, told.oldest);
    ages_ += double(age);
    oldest_ = std::max(oldest_, age);
    newest_ = std::max(newest_, told.newest - std::min(told.newest, told.clock));
  }
  void tell(StaleOutcome& outcome) const {
    const double calls = std::max(1.0, double(calls_));
    outcome.mean_call = sum_ / calls;
    outcome.longest_call = longest_;
    outcome.waited = double(waits_) / calls;
    outcome.mean_age = ages_ / calls;
    outcome.oldest = oldest_;
    outcome.newest = newest_;
  }
  double last() const { return last_; }  // when the last call ended, us

 private:
  std::uint64_t calls_ = 0, waits_ = 0, oldest_ = 0, newest_ = 0;
  double sum_ = 0, longest_ = 0, ages_ = 0, last_ = 0;
};

// ---- with slack ----

struct StaleMember {
  StaleMember(Frames& frames, WindowPort& window, const StaleSpec& spec, const StaleLayout& layout)
      : strand(frames), part(strand, window, spec, layout), sum(spec.reduction.count) {}

  Strand strand;
  StalePart part;
  std::vector<double> sum;
  unsigned calls = 0;  // begun, a flush among them
  bool in_call = false, has_paused = false;
  double entered = 0;
};

class StaleRehearsal {
 public:
  StaleRehearsal(const StaleModelCall& call, WindowModelOptions options)
      : call_(call),
        vector_(call.bytes, call.shape == StaleShape::sharded ? call.members : 1),
        combining_(options.flow.network.combining),
        spec_{.reduction = vector_.sum([this](double bytes) { model_.compute(running_, bytes * combining_); }),
              .shape = call.shape,
              .cells = call.cells},
        layout_(spec_, call.members),
        ones_(vector_.elements, 1.0),
        model_(call.members, layout_.bytes(), layout_.flags(), with_lengths(std::move(options))) {}

  Result<StaleOutcome> run();

 private:
  WindowModelOptions with_lengths(WindowModelOptions options) const {
    if (vector_.stands_for != 1)
      options.length = [this](std::uint64_t, std::size_t bytes) { return vector_.length(sizeof(StaleHead), bytes); };
    // A call does not wait for what it sends, so it cannot be refused.
    options.posts_ahead = true;
    return options;
  }
  WindowModel::Next go_on(Rank rank);
  bool begins(StaleMember& member, Rank rank);
  void ends(StaleMember& member, Rank rank);
  void serve(Rank rank);
  bool is_flush(unsigned number) const { return number == call_.calls; }
  void check(const StaleMember& member, const Staleness& told);
  void check_flush(const StaleMember& member);

  const StaleModelCall call_;
  const ModelVector vector_;
  const double combining_;
  const StaleSpec spec_;
  const StaleLayout layout_;
  const std::vector<double> ones_;
  Frames frames_;
  WindowModel model_;
  std::deque<StaleMember> members_;
  Rank running_ = 0;
  CallTally tally_;
  Status failure_;
};

WindowModel::Next StaleRehearsal::go_on(Rank rank) {
  StaleMember& member = members_[rank];
  running_ = rank;
  while (true) {
    if (!member.in_call) {
      if (member.part.has_failed() || member.calls == call_.calls + call_.flushes) {
        member.part.work();
        return {WindowModel::Next::over};
      }
      const double pause = is_flush(member.calls) ? 0 : call_.compute + straggle(call_.stragglers, rank, member.calls);
      // What has come while it posted is seen by the next call.
      if (!std::exchange(member.has_paused, true) && (pause > 0 || member.calls != 0))
        return {WindowModel::Next::pauses, model_.clock(rank) + pause};
      if (!begins(member, rank)) continue;
    }
    if (!member.strand.advance()) return {};
    ends(member, rank);
  }
}

// False: it has heard of a failure.
bool StaleRehearsal::begins(StaleMember& member, Rank rank) {
  member.part.look_for_trouble();
  if (member.part.has_failed()) return false;
  auto* const sum = reinterpret_cast<std::byte*>(member.sum.data());
  const auto* const mine = reinterpret_cast<const std::byte*>(ones_.data());
  member.part.begin(is_flush(member.calls) ? StaleCall{nullptr, sum, 0} : StaleCall{mine, sum, call_.slack});
  member.strand.begin(stale_call(member.part));
  ++member.calls;
  member.in_call = true;
  member.entered = model_.clock(rank);
  return true;
}

void StaleRehearsal::ends(StaleMember& member, Rank rank) {
  member.part.work();
  member.in_call = member.has_paused = false;
  if (member.part.has_failed()) return;
  if (is_flush(member.calls - 1)) return check_flush(member);
  tally_.add(member.entered, model_.clock(rank));
  const Staleness& told = member.part.told();
  tally_.note(told);
  check(member, told);
}

// What threads that make progress do for a member that is in no call.
void StaleRehearsal::serve(Rank rank) {
  StalePart& part = members_[rank].part;
  running_ = rank;
  if (part.has_work() || part.has_failed()) part.work();
}

// Each call gives 1, so an element is the sum of the clocks in it.
void StaleRehearsal::check(const StaleMember& member, const Staleness& told) {
  const double others = double(call_.members) - 1, own = double(told.clock);
  // Not oldest + slack, which wraps where a slack is as good as none.
  const bool is_bounded = told.clock <= told.oldest || told.clock - told.oldest <= call_.slack;
  for (const double sum : member.sum)
    if (!is_bounded || sum < own + others * double(told.oldest) || sum > own + others * double(told.newest))
      failure_ = Status(Code::system, "stale allreduce in virtual time: a result is not what its clocks promise");
}

void StaleRehearsal::check_flush(const StaleMember& member) {
  for (const double sum : member.sum)
    if (sum != double(call_.members) * call_.calls)
      failure_ = Status(Code::system, "stale allreduce in virtual time: a flush is not the sum of all that was given");
}

Result<StaleOutcome> StaleRehearsal::run() {
  if (Status status = model_.status(); !status.ok()) return status;
  for (Rank rank = 0; rank < call_.members; ++rank) {
    members_.emplace_back(frames_, model_.window(rank), spec_, layout_);
    members_.back().part.place_totals();
  }
  StaleOutcome outcome;
  outcome.flow = model_.run([this](Rank rank) { return go_on(rank); }, [this](Rank rank) { serve(rank); });
  if (!failure_.ok()) return failure_;
  if (outcome.flow.hanging != 0)
    return Status{Code::system, "stale allreduce in virtual time: " + std::to_string(outcome.flow.hanging) +
                                    " members wait for ever"};
  for (Rank rank = 0; rank < call_.members; ++rank)
    outcome.failed += model_.is_over(rank) && members_[rank].part.has_failed();
  tally_.tell(outcome);
  if (call_.flushes && outcome.failed == 0) outcome.flush = std::max(0.0, outcome.flow.time - tally_.last());
  return outcome;
}

// ---- without ----

// As StaleMeeting does: consistent allreduces, one behind the other. A flush is one more, of what was given before.
class MeetingRehearsal {
 public:
  MeetingRehearsal(const StaleModelCall& call, WindowModelOptions options)
      : call_(call), options_(std::move(options.flow)), heard_(options.heard), at_(call.members) {}

  Result<StaleOutcome> run();

 private:
  Result<FlowOutcome> meet(std::uint64_t number, Algorithm algorithm);
  StaleOutcome tell_of_death(StaleOutcome all, const FlowOutcome& last, unsigned number) const;

  const StaleModelCall call_;
  const FlowOptions options_;
  const double heard_;
  std::vector<double> at_;  // when a member is where it is, us
  CallTally tally_;
};

Result<FlowOutcome> MeetingRehearsal::meet(std::uint64_t number, Algorithm algorithm) {
  FlowOptions options = options_;
  options.payload = false;
  options.noise.seed = util::mix(options.noise.seed + number);
  options.begins = [this](Rank member) { return at_[member]; };
  const Phantom sent, received;
  const WireCall wire_call{.kind = Kind::allreduce,
                           .algorithm = algorithm,
                           .root = 0,
                           .send = sent.base(),
                           .receive = received.base(),
                           .bytes = call_.bytes,
                           .count = call_.bytes / kModelElement,
                           .element = kModelElement,
                           .begins = nullptr,
                           .sent = nullptr,
                           .received = nullptr};
  const bool is_flush = number == call_.calls;
  for (Rank member = 0; member < call_.members && !is_flush; ++member)
    at_[member] += call_.compute + straggle(call_.stragglers, member, number);
  FlowModel flow(call_.members, options);
  auto outcome = flow.run([&](Wire& wire) {
    wire.elements.size = kModelElement;
    return carry_out(wire, wire_call);
  });
  if (!outcome.ok() || outcome->dead != 0) return outcome;
  for (Rank member = 0; member < call_.members; ++member) {
    if (!is_flush) tally_.add(at_[member], flow.left(member));
    at_[member] = flow.left(member);
  }
  return outcome;
}

Result<StaleOutcome> MeetingRehearsal::run() {
  const ModelCall allreduce{Kind::allreduce, call_.members, call_.bytes, 0};
  const Algorithm algorithm = Table::of_environment().choose(choice_of(allreduce));
  StaleOutcome all;
  for (Rank member = 0; options_.begins && member < call_.members; ++member) at_[member] = options_.begins(member);
  for (unsigned number = 0; number < call_.calls + call_.flushes; ++number) {
    const auto one = meet(number, algorithm);
    if (!one.ok()) return one.status();
    all.flow.time = one->time;
    all.flow.last = one->last;
    all.flow.letters += one->letters;
    all.flow.bytes += one->bytes;
    all.flow.rounds += one->rounds;
    all.flow.waited += one->waited;
    all.flow.dead = one->dead;
    if (one->dead != 0) return tell_of_death(all, *one, number);
  }
  tally_.tell(all);
  if (call_.flushes) all.flush = all.flow.time - tally_.last();
  return all;
}

// Who was not through fails when it hears of that, and the others do in their next call.
StaleOutcome MeetingRehearsal::tell_of_death(StaleOutcome all, const FlowOutcome& last, unsigned number) const {
  const Rank alive = call_.members - last.dead;
  all.failed = number + 1 < call_.calls + call_.flushes ? alive : last.hanging;
  double first = std::numeric_limits<double>::infinity();
  for (Rank member = 0; member < call_.members; ++member) first = std::min(first, options_.dies(member));
  all.flow.time = std::max(all.flow.time, first + heard_);
  tally_.tell(all);
  return all;
}

Status check_stale_model(const StaleModelCall& call, const WindowModelOptions& options) {
  const std::string members = " members: ";
  if (call.cells < 2 || call.cells > 64) return wrong_stale_model("cells are from 2 to 64");
  if (call.calls < 1) return wrong_stale_model("each member makes at least one call");
  const bool is_cube = call.shape == StaleShape::hypercube;
  if (call.slack != 0 && !is_cube && call.members > kMostByPairs)
    return wrong_stale_model("more than " + std::to_string(kMostByPairs) + members +
                             "there are links between each two; a hypercube has fewer");
  if (call.members > kMostByCube)
    return wrong_stale_model("more than " + std::to_string(kMostByCube) + members + "it has memory for each link");
  if (options.flow.dies && call.members > kMostOfDeaths)
    return wrong_stale_model("deaths among more than " + std::to_string(kMostOfDeaths) + members +
                             "each tells all others of its failure");
  return {};
}

}  // namespace

Result<StaleOutcome> predict_stale(const StaleModelCall& call, WindowModelOptions options) {
  if (Status status = check_stale_model(call, options); !status.ok()) return status;
  auto outcome = call.slack == 0 ? MeetingRehearsal(call, std::move(options)).run()
                                 : StaleRehearsal(call, std::move(options)).run();
  if (!outcome.ok()) return outcome;
  StaleSpec real{.reduction = {}, .shape = call.shape, .cells = call.cells};
  real.reduction.count = call.bytes / ModelVector::kElement;
  real.reduction.element_size = ModelVector::kElement;
  const StaleLayout layout(real, call.members);
  outcome->flow.memory = (layout.bytes() + layout.flags() * sizeof(std::uint32_t)) * call.members;
  return outcome;
}

}  // namespace polder::coll
