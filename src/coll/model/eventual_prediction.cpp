#include "coll/model/eventual_prediction.hpp"

#include "coll/eventual/algorithms.hpp"
#include "coll/eventual/eventual_part.hpp"
#include "coll/eventual/layout.hpp"
#include "coll/eventual/wish.hpp"
#include "coll/model/model_vector.hpp"

#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace polder::coll {
namespace {

constexpr std::size_t kMostElements = 1200;
// All members raise flags at all others; of an allreduce each of them is looked for at each member.
constexpr Rank kMostRooted = 4096, kMostAllreduce = 1024;

struct EventualMember {
  EventualMember(Frames& frames, WindowPort& window, const EventualSpec& spec)
      : strand(frames), part(strand, window, spec) {}

  Strand strand;
  EventualPart part;
  std::vector<double> sent, received;
  bool has_begun = false;
};

class EventualRehearsal {
 public:
  EventualRehearsal(const EventualModelCall& call, WindowModelOptions options)
      : call_(call),
        vector_(call.bytes, kMostElements),
        spec_{.bytes = vector_.bytes(), .apart = 1, .way = call.way},
        layout_(spec_, call.members),
        combining_(options.flow.network.combining),
        model_(call.members, layout_.bytes(), layout_.flags(), with_lengths(std::move(options))) {}

  Result<EventualOutcome> run();

 private:
  WindowModelOptions with_lengths(WindowModelOptions options) const;
  double length(std::uint64_t offset, std::size_t bytes) const;
  Wish wish_of(EventualMember& member);
  WindowModel::Next go_on(Rank member);
  Status check_values(const EventualMember& member) const;
  EventualOutcome told(FlowOutcome flow) const;

  const EventualModelCall call_;
  const ModelVector vector_;
  const EventualSpec spec_;
  const EventualLayout layout_;
  const double combining_;
  Frames frames_;
  WindowModel model_;
  std::deque<EventualMember> members_;
  Rank running_ = 0;
};

WindowModelOptions EventualRehearsal::with_lengths(WindowModelOptions options) const {
  if (vector_.stands_for != 1)
    options.length = [this](std::uint64_t offset, std::size_t bytes) { return length(offset, bytes); };
  return options;
}

// Of what is read of a window: heads and bits are as long as they are.
double EventualRehearsal::length(std::uint64_t offset, std::size_t bytes) const {
  if (offset == layout_.contribution(1)) return vector_.length(sizeof(ContributionHead), bytes);
  const bool is_contribution = layout_.contribution(1) < offset && offset < layout_.result(1);
  const bool is_result =
      layout_.result(1) + layout_.values_of_result() <= offset && offset < layout_.announcement(1, 0);
  return is_contribution || is_result ? vector_.length(0, bytes) : double(bytes);
}

Wish EventualRehearsal::wish_of(EventualMember& member) {
  Wish wish;
  wish.kind = call_.kind;
  wish.root = call_.root;
  wish.stands_for = vector_.stands_for;
  wish.enough = call_.enough;
  wish.spec = vector_.sum([this](double bytes) { model_.compute(running_, bytes * combining_); });
  const bool is_broadcast = call_.kind == Kind::broadcast;
  wish.send = wish.given_send = reinterpret_cast<std::byte*>(member.sent.data());
  wish.receive = wish.given_receive =
      reinterpret_cast<std::byte*>(is_broadcast ? member.sent.data() : member.received.data());
  return wish;
}

// Member m gives m + 1.
WindowModel::Next EventualRehearsal::go_on(Rank rank) {
  EventualMember& member = members_[rank];
  running_ = rank;
  if (!member.has_begun) {
    member.has_begun = true;
    const bool gives = call_.kind != Kind::broadcast || rank == call_.root;
    member.sent.assign(vector_.elements, gives ? rank + 1.0 : 0);
    member.received.assign(vector_.elements, 0);
    member.part.begin(wish_of(member));
    member.strand.begin(eventual_operation(member.part));
  }
  if (member.strand.advance()) return {WindowModel::Next::over};
  const std::int64_t deadline = member.part.deadline_at_ns();
  const bool has_deadline = deadline != std::numeric_limits<std::int64_t>::max();
  if (!has_deadline || double(deadline) * 1e-3 <= model_.clock(rank)) return {};
  return {WindowModel::Next::waits, double(deadline) * 1e-3};
}

// What is called final is what the contributors have given; the rest is untouched.
Status EventualRehearsal::check_values(const EventualMember& member) const {
  const EventualStatus& status = member.part.status();
  const bool is_broadcast = call_.kind == Kind::broadcast;
  double given = 0;
  for (const Rank each : status.contributors) given += each + 1.0;
  if (is_broadcast) given = call_.root + 1.0;
  const std::vector<double>& values = is_broadcast ? member.sent : member.received;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (status.is_final(i) && values[i] != given)
      return {Code::system, "eventual " + std::string(to_string(call_.kind)) + " in virtual time: element " +
                                std::to_string(i) + " is not what its contributors have given"};
  return {};
}

EventualOutcome EventualRehearsal::told(FlowOutcome flow) const {
  EventualOutcome outcome{.flow = flow, .way = members_.front().part.way()};
  const EventualSpec real{.bytes = call_.bytes};
  const EventualLayout layout(real, call_.members);
  outcome.flow.memory = (layout.bytes() + layout.flags() * sizeof(std::uint32_t)) * call_.members;
  Rank root = call_.kind == Kind::allreduce ? call_.members - 1 : call_.root;
  for (Rank rank = call_.members; rank-- > 0;) {
    const EventualPart& part = members_[rank].part;
    if (!model_.is_over(rank)) continue;
    outcome.failed += part.has_failed();
    outcome.counted += !part.has_failed() && part.status().mine == Counted::yes;
    if (call_.kind == Kind::allreduce && !part.has_failed()) root = rank;
  }
  const EventualPart& there = members_[root].part;
  outcome.root = model_.left(root);
  if (!model_.is_over(root) || there.has_failed()) return outcome;
  outcome.data = vector_.elements == 0 ? 1 : double(there.status().elements) / double(vector_.elements);
  outcome.contributors = there.status().contributors.size();
  outcome.ended = there.status().ended;
  return outcome;
}

Result<EventualOutcome> EventualRehearsal::run() {
  if (Status status = model_.status(); !status.ok()) return status;
  for (Rank rank = 0; rank < call_.members; ++rank) members_.emplace_back(frames_, model_.window(rank), spec_);
  if (Status status = wish_of(members_.front()).check(spec_, call_.members); !status.ok()) return status;
  const FlowOutcome flow = model_.run([this](Rank rank) { return go_on(rank); });
  if (flow.hanging != 0)
    return Status{Code::system, "eventual " + std::string(to_string(call_.kind)) +
                                    " in virtual time: " + std::to_string(flow.hanging) + " members wait for ever"};
  for (Rank rank = 0; rank < call_.members; ++rank)
    if (model_.is_over(rank) && !members_[rank].part.has_failed())
      if (Status status = check_values(members_[rank]); !status.ok()) return status;
  return told(flow);
}

}  // namespace

Result<EventualOutcome> predict_eventual(const EventualModelCall& call, WindowModelOptions options) {
  const std::string name = "eventual " + std::string(to_string(call.kind));
  if (call.kind != Kind::broadcast && call.kind != Kind::reduce && call.kind != Kind::allreduce)
    return Status{Code::invalid_argument, "there is no " + name};
  if (call.enough.choose != Choose::prefix)
    return Status{Code::invalid_argument, name + " in virtual time: elements are chosen as a prefix"};
  const Rank most = call.kind == Kind::allreduce ? kMostAllreduce : kMostRooted;
  if (call.members > most)
    return Status{Code::invalid_argument,
                  name + " of more than " + std::to_string(most) + " members: each tells all others that it has left"};
  return EventualRehearsal(call, std::move(options)).run();
}

}  // namespace polder::coll
