// The job as a whole: work, a meeting of all that live, and the work again where somebody has died.
#include "ckpt/set_state.hpp"

#include <polder/clock.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

namespace polder {
namespace {

// What the launcher, or the user of another one, says.
Result<Rank> spares_of_environment() {
  const char* const text = std::getenv("POLDER_SPARES");
  if (text == nullptr || *text == '\0') return Rank{0};
  Rank spares = 0;
  const char* const end = text + std::strlen(text);
  if (const auto read = std::from_chars(text, end, spares); read.ec != std::errc() || read.ptr != end)
    return Status(Code::invalid_argument,
                  "working set: POLDER_SPARES is '" + std::string(text) + "', which is no number");
  return spares;
}

// The others wait for an answer of this member, whatever happens to its work.
Status guarded(const WorkingSet::Work& work, Member& me) {
  try {
    return work(me);
  } catch (const std::exception& thrown) {
    return {Code::system, std::string("working set: the work threw an exception: ") + thrown.what()};
  } catch (...) {
    return {Code::system, "working set: the work threw what is no std::exception"};
  }
}

}  // namespace

WorkingSet::WorkingSet(Runtime& rt, const WorkingSetSpec& spec) : state_(std::make_unique<Member::State>(rt, spec)) {}

WorkingSet::~WorkingSet() = default;

std::optional<Rank> WorkingSet::place() const {
  return state_->place;
}

const std::vector<Recovery>& WorkingSet::recoveries() const {
  return state_->recoveries;
}

Status WorkingSet::run(const Work& work) {
  Member::State& s = *state_;
  Status status = s.set_up();
  if (status.ok()) status = s.form(false);
  while (status.ok()) {
    const Status mine = s.work_once(work);
    bool again = false;
    status = s.meet(mine, again);
    if (!again) return status;
    s.heard_ns = now_ns(s.rt);
    s.recoveries.emplace_back();
    status = s.form(true);
  }
  return status;
}

Status Member::State::set_up() {
  if (living) return Status(Code::invalid_argument, "working set: run() was called before");
  const Result<Rank> spares = spec.spares ? Result<Rank>(*spec.spares) : spares_of_environment();
  if (!spares.ok()) return spares.status();
  if (*spares >= rt.size())
    return Status(Code::invalid_argument, "working set: " + std::to_string(*spares) +
                                              " spares leave no member, there are " + std::to_string(rt.size()) +
                                              " ranks in all");
  for (Rank rank = 0; rank < rt.size() - *spares; ++rank) members.push_back(rank);
  least = spec.least == 0 ? Rank(members.size()) : spec.least;
  living = std::shared_ptr<Group>(&rt.world(), [](Group*) {});
  return {};
}

Status Member::State::work_once(const WorkingSet::Work& work) {
  if (!is_member()) return {};
  ranges.clear();
  place = formation->group->index();
  Member me(*this);
  Status mine = guarded(work, me);
  leave(mine);
  return mine;
}

// Others may still be in a call of the set, or come to one, that needs this member: they must hear that it does not come. An
// ended round tells those in commit(); a group that is deleted, all others.
void Member::State::leave(Status& mine) {
  reached("leave");
  opening.reset();
  storing.reset();  // whoever is a member of the next set begins with the first step of it
  const bool was_in_use = in_use();
  if (was_in_use && (mine.ok() || mine.code() == Code::peer_failed)) {
    // Whom the others of the group have given up they do not wait for. It is in the next set if all that live still know it.
    Status status = holding->checkpoint->state().given_up
                        ? Status()
                        : holding->checkpoint->state().end_round(ckpt::Deadline(rt, spec.patience));
    if (!status.ok()) mine = std::move(status);
  } else if (was_in_use) {
    holding.reset();
  }
  formation.reset();
  reached("leave: left");
}

std::uint64_t Member::State::bits_of(const Status& status) {
  return status.ok() ? kDone : status.code() == Code::peer_failed ? kAgain : kFailed;
}

Status Member::State::error_of_all(const Status& mine) {
  return mine.ok() || mine.code() == Code::peer_failed ? Status(Code::closed) : mine;
}

// All that live, when the work has ended somehow. Spares wait here meanwhile, however long it takes.
Status Member::State::meet(const Status& mine, bool& again) {
  const Result<Agreement> agreed = living->agree(bits_of(mine), Timeout::block());
  reached("meet: decided");
  if (!agreed.ok()) return agreed.status();
  if (says_failed(*agreed)) return error_of_all(mine);
  again = says_again(*agreed) || any_member_in(agreed->failed);
  if (!again) return {};
  if (!agreed->failed.empty()) return {};
  again = false;  // nobody has died: once more would end no better
  return mine.ok() ? Status(Code::closed) : mine;
}

bool Member::State::any_member_in(std::span<const Rank> ranks) const {
  return std::any_of(ranks.begin(), ranks.end(),
                     [this](Rank rank) { return std::find(members.begin(), members.end(), rank) != members.end(); });
}

}  // namespace polder
