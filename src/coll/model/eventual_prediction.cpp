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
#include <optional>
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
  // Of the operation, where it has been enhanced since.
  std::optional<EventualStatus> before;
  double left_before = 0;  // us
};

class EventualRehearsal {
 public:
  EventualRehearsal(const EventualModelCall& call, WindowModelOptions options)
      : call_(call),
        vector_(call.bytes, kMostElements),
        // Programs have four: nobody waits for others to have left the operation before it enhances it.
        spec_{.bytes = vector_.bytes(), .apart = call.more ? 2U : 1U, .way = call.way},
        layout_(spec_, call.members),
        combining_(options.flow.network.combining),
        model_(call.members, layout_.bytes(), layout_.flags(), with_lengths(std::move(options))) {}

  Result<EventualOutcome> run();

 private:
  WindowModelOptions with_lengths(WindowModelOptions options) const;
  double length(std::uint64_t offset, std::size_t bytes) const;
  double length_in(std::uint64_t number, std::uint64_t offset, std::size_t bytes) const;
  Wish wish_of(EventualMember& member);
  void begin(Rank rank);
  bool begins_more(Rank rank);
  WindowModel::Next go_on(Rank member);
  void check_values(const EventualMember& member);
  EventualOutcome told(FlowOutcome flow) const;
  EventualReached reached(bool enhanced) const;

  const EventualModelCall call_;
  const ModelVector vector_;
  const EventualSpec spec_;
  const EventualLayout layout_;
  const double combining_;
  Frames frames_;
  WindowModel model_;
  std::deque<EventualMember> members_;
  Rank running_ = 0;
  Status failure_;
};

WindowModelOptions EventualRehearsal::with_lengths(WindowModelOptions options) const {
  if (vector_.stands_for != 1)
    options.length = [this](std::uint64_t offset, std::size_t bytes) { return length(offset, bytes); };
  return options;
}

// Of what is read of a window: heads and bits are as long as they are.
double EventualRehearsal::length(std::uint64_t offset, std::size_t bytes) const {
  const std::size_t place = layout_.bytes() / spec_.apart;
  for (std::uint64_t number = 0; number < spec_.apart; ++number)
    if (const std::size_t begin = layout_.contribution(number); begin <= offset && offset < begin + place)
      return length_in(number, offset, bytes);
  return double(bytes);
}

double EventualRehearsal::length_in(std::uint64_t number, std::uint64_t offset, std::size_t bytes) const {
  if (offset == layout_.contribution(number)) return vector_.length(sizeof(ContributionHead), bytes);
  const bool is_contribution = offset < layout_.result(number);
  const bool is_result =
      layout_.result(number) + layout_.values_of_result() <= offset && offset < layout_.announcement(number, 0);
  return is_contribution || is_result ? vector_.length(0, bytes) : double(bytes);
}

Wish EventualRehearsal::wish_of(EventualMember& member) {
  Wish wish;
  wish.kind = call_.kind;
  wish.root = call_.root;
  wish.stands_for = vector_.stands_for;
  wish.more = member.before.has_value();
  wish.enough = wish.more ? *call_.more : call_.enough;
  wish.spec = vector_.sum([this](double bytes) { model_.compute(running_, bytes * combining_); });
  const bool is_broadcast = call_.kind == Kind::broadcast;
  wish.send = wish.given_send = reinterpret_cast<std::byte*>(member.sent.data());
  wish.receive = wish.given_receive =
      reinterpret_cast<std::byte*>(is_broadcast ? member.sent.data() : member.received.data());
  return wish;
}

// Member m gives m + 1.
void EventualRehearsal::begin(Rank rank) {
  EventualMember& member = members_[rank];
  if (!std::exchange(member.has_begun, true)) {
    const bool gives = call_.kind != Kind::broadcast || rank == call_.root;
    member.sent.assign(vector_.elements, gives ? rank + 1.0 : 0);
    member.received.assign(vector_.elements, 0);
  }
  member.part.begin(wish_of(member));
  member.strand.begin(eventual_operation(member.part));
}

WindowModel::Next EventualRehearsal::go_on(Rank rank) {
  EventualMember& member = members_[rank];
  running_ = rank;
  if (!member.has_begun) begin(rank);
  while (member.strand.advance())
    if (!begins_more(rank)) return {WindowModel::Next::over};
  const std::int64_t deadline = member.part.deadline_at_ns();
  const bool has_deadline = deadline != std::numeric_limits<std::int64_t>::max();
  if (!has_deadline || double(deadline) * 1e-3 <= model_.clock(rank)) return {};
  return {WindowModel::Next::waits, double(deadline) * 1e-3};
}

// What it has begun has ended. True: it has begun the enhancement.
bool EventualRehearsal::begins_more(Rank rank) {
  EventualMember& member = members_[rank];
  if (member.part.has_failed()) return false;
  check_values(member);
  if (!call_.more || member.before) return false;
  member.before = member.part.status();
  member.left_before = model_.clock(rank);
  begin(rank);
  return true;
}

// What is called final is what the contributors have given; the rest is untouched.
void EventualRehearsal::check_values(const EventualMember& member) {
  const EventualStatus& status = member.part.status();
  const bool is_broadcast = call_.kind == Kind::broadcast;
  double given = 0;
  for (const Rank each : status.contributors) given += each + 1.0;
  if (is_broadcast) given = call_.root + 1.0;
  const std::vector<double>& values = is_broadcast ? member.sent : member.received;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (status.is_final(i) && values[i] != given)
      failure_ = Status(Code::system, "eventual " + std::string(to_string(call_.kind)) + " in virtual time: element " +
                                          std::to_string(i) + " is not what its contributors have given");
}

EventualOutcome EventualRehearsal::told(FlowOutcome flow) const {
  EventualOutcome outcome;
  static_cast<EventualReached&>(outcome) = reached(false);
  if (call_.more) outcome.enhanced = reached(true);
  outcome.flow = flow;
  outcome.way = members_.front().part.way();
  const EventualSpec real{.bytes = call_.bytes};
  const EventualLayout layout(real, call_.members);
  outcome.flow.memory = (layout.bytes() + layout.flags() * sizeof(std::uint32_t)) * call_.members;
  for (Rank rank = 0; rank < call_.members; ++rank)
    outcome.failed += model_.is_over(rank) && members_[rank].part.has_failed();
  return outcome;
}

EventualReached EventualRehearsal::reached(bool enhanced) const {
  // What the operation, or the enhancement, has said to a member; null: nothing, or an error.
  const auto status_at = [&](Rank rank) -> const EventualStatus* {
    const EventualMember& member = members_[rank];
    if (!enhanced && member.before) return &*member.before;
    const bool has_it = model_.is_over(rank) && !member.part.has_failed() && enhanced == member.before.has_value();
    return has_it ? &member.part.status() : nullptr;
  };
  EventualReached reached;
  Rank root = call_.kind == Kind::allreduce ? call_.members - 1 : call_.root;
  for (Rank rank = call_.members; rank-- > 0;)
    if (const EventualStatus* const status = status_at(rank); status != nullptr) {
      reached.counted += status->mine == Counted::yes;
      if (call_.kind == Kind::allreduce) root = rank;
    }
  const EventualStatus* const there = status_at(root);
  const bool is_before = !enhanced && members_[root].before;
  reached.root = is_before ? members_[root].left_before : model_.left(root);
  if (there == nullptr) return reached;
  reached.data = vector_.elements == 0 ? 1 : double(there->elements) / double(vector_.elements);
  reached.contributors = there->contributors.size();
  reached.ended = there->ended;
  return reached;
}

Result<EventualOutcome> EventualRehearsal::run() {
  if (Status status = model_.status(); !status.ok()) return status;
  for (Rank rank = 0; rank < call_.members; ++rank) members_.emplace_back(frames_, model_.window(rank), spec_);
  Wish wish = wish_of(members_.front());
  if (Status status = wish.check(spec_, call_.members); !status.ok()) return status;
  wish.enough = call_.more.value_or(call_.enough);
  if (Status status = wish.check(spec_, call_.members); !status.ok()) return status;
  const FlowOutcome flow = model_.run([this](Rank rank) { return go_on(rank); });
  if (flow.hanging != 0)
    return Status{Code::system, "eventual " + std::string(to_string(call_.kind)) +
                                    " in virtual time: " + std::to_string(flow.hanging) + " members wait for ever"};
  if (!failure_.ok()) return failure_;
  return told(flow);
}

}  // namespace

Result<EventualOutcome> predict_eventual(const EventualModelCall& call, WindowModelOptions options) {
  const std::string name = "eventual " + std::string(to_string(call.kind));
  if (call.kind != Kind::broadcast && call.kind != Kind::reduce && call.kind != Kind::allreduce)
    return Status{Code::invalid_argument, "there is no " + name};
  if (call.enough.choose != Choose::prefix)
    return Status{Code::invalid_argument, name + " in virtual time: elements are chosen as a prefix"};
  if (call.more)
    if (Status status = check_enhancement(call.enough, *call.more); !status.ok()) return status;
  const Rank most = call.kind == Kind::allreduce ? kMostAllreduce : kMostRooted;
  if (call.members > most)
    return Status{Code::invalid_argument,
                  name + " of more than " + std::to_string(most) + " members: each tells all others that it has left"};
  return EventualRehearsal(call, std::move(options)).run();
}

}  // namespace polder::coll
