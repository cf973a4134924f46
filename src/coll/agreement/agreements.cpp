#include "coll/agreement/agreements.hpp"

#include "coll/agreement/agree.hpp"
#include "core/group/busy.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/group/member_records.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>

namespace polder::coll {
namespace {

constexpr std::uint64_t kYes = ~std::uint64_t{0};
constexpr std::uint64_t kAgain = ~std::uint64_t{1};  // no: a member died meanwhile
constexpr std::uint64_t kFull = ~std::uint64_t{2};   // no: it has as many groups as it can have
constexpr std::uint64_t kNo = 0;

// ns: how long a member waits in a commit before it looks whether another one has given up.
constexpr std::int64_t kCommitSlice = 20'000'000;

}  // namespace

Agreements& Agreements::of(core::GroupState& group) {
  return static_cast<Agreements&>(
      group.extension(core::GroupExtension::agreements, [&] { return std::make_unique<Agreements>(group); }));
}

Agreements::Agreements(core::GroupState& group)
    : group_(group),
      size_(Rank(group.ranks().size())),
      talk_(strand_, *this, group.index(), size_, group.nonce()),
      words_(core::MemberRecords::words(size_)),
      heard_(Opinion::of(size_)) {
  static_assert(Opinion::kHead <= core::MemberRecords::kHead);
}

// ---- the port ----

void Agreements::show(const Opinion& own) {
  // Nobody is through before all that live have accepted, so whoever is still looking knows by what name the others
  // deleted the group.
  if (own.stage >= Stage::accepted) group_.records().call(own.value.incarnation);
  own.encode(words_);
  group_.records().show(words_);
}

void Agreements::wake(Rank member) {
  group_.records().ring(member);
}

Panel::Look Agreements::look(Rank member, Opinion& opinion) {
  switch (group_.records().look(member, words_)) {
    case core::MemberRecords::Look::deleted: return Look::gone;
    case core::MemberRecords::Look::unseen: return Look::unseen;
    case core::MemberRecords::Look::seen: break;
  }
  return opinion.decode(words_, size_) ? Look::seen : Look::unseen;
}

bool Agreements::has_failed(Rank member) {
  return group_.ports().peers.health(group_.ranks()[member]) != Health::healthy;
}

// ---- agree ----

Result<Agreement> Agreements::agree(std::uint64_t bits, Timeout timeout) {
  const core::Busy running(busy_);
  if (!running.mine()) return core::busy("agreement");
  if (shrinking_ != Shrinking::idle) return Status(Code::busy, "a shrink of the group is under way since it timed out");
  if (Status status = run(bits, timeout); !status.ok()) return status;
  const Decision& decided = talk_.decision();
  Agreement agreement;
  agreement.bits = decided.bits;
  if (decided.dissenter != kNoMember) agreement.dissenter = group_.ranks()[decided.dissenter];
  for (Rank member = 0; member < size_; ++member)
    if (decided.failed.has(member)) agreement.failed.push_back(group_.ranks()[member]);
  return agreement;
}

Status Agreements::run(std::uint64_t bits, Timeout timeout) {
  core::Progress& progress = group_.ports().progress;
  if (Status status = group_.check_committed(); !status.ok()) return status;
  if (Status status = group_.ports().peers.check_open(); !status.ok()) return status;
  if (Status status = group_.records().check_size(); !status.ok()) return status;
  if (strand_.under_way() && bits != bits_)
    return {Code::invalid_argument, "agreeing on other bits than those of the agreement that timed out"};
  if (!strand_.under_way()) begin(bits);
  util::Bell& bell = group_.own().control->bell;
  const core::AnswerBells::Listener listener(progress.answers(), bell);
  Status status =
      progress.wait([this] { return is_given_up() || strand_.advance(); }, [this] { return trouble(); }, bell, timeout,
                    [](bootstrap::LongWait& wait) { wait.say("in an agreement of a group"); });
  return status.ok() ? outcome() : status;
}

// The others may still be in a commit that this member will not end: they must see what it says before they come here.
void Agreements::begin(std::uint64_t bits) {
  bits_ = bits;
  if (shrinking_ == Shrinking::confirming && bits != kYes)
    talk_.begin_openly(bits, refuser_);
  else
    talk_.begin(bits);
  strand_.begin(coll::agree(talk_));
}

// By the others, maybe in error: then that is so.
bool Agreements::is_given_up() const {
  const core::GroupPorts& ports = group_.ports();
  return ports.peers.alone() || ports.outside.bootstrap->health(ports.outside.rank()) == Health::failed;
}

Status Agreements::trouble() const {
  return group_.ports().peers.check_open();
}

Status Agreements::outcome() const {
  if (Status status = trouble(); !status.ok()) return status;
  const bool is_left_out = talk_.is_over() && (talk_.is_left_behind() || talk_.decision().failed.has(group_.index()));
  if (!is_given_up() && !is_left_out) return {};
  return {Code::peer_failed,
          "rank " + std::to_string(group_.ports().outside.rank()) + " was given up by the others of its group",
          Died::peer};
}

// ---- shrink ----

Result<std::unique_ptr<Group>> Agreements::shrink(Timeout timeout) {
  const core::Busy running(busy_);
  if (!running.mine()) return core::busy("agreement");
  if (shrinking_ == Shrinking::idle) {
    if (strand_.under_way()) return Status(Code::busy, "an agreement of the group is under way since it timed out");
    shrinking_ = Shrinking::counting;
  }
  const util::Deadline deadline(timeout, group_.ports().progress.clock());
  while (true) {
    Status status;
    if (shrinking_ == Shrinking::counting) status = count(deadline.remaining());
    if (status.ok() && shrinking_ == Shrinking::committing) status = commit(deadline.remaining());
    if (status.timed_out()) return status;
    if (!status.ok()) {
      shrinking_ = Shrinking::idle;
      smaller_.reset();
      return status;
    }
    auto confirmed = confirm(deadline.remaining());
    if (confirmed.ok() ? *confirmed != nullptr : confirmed.status().timed_out()) return confirmed;
    smaller_.reset();
    if (!confirmed.ok()) {
      shrinking_ = Shrinking::idle;
      return confirmed;
    }
  }
}

Status Agreements::count(Timeout timeout) {
  const bool has_room = group_.table().has_room();
  if (Status status = run(strand_.under_way() ? bits_ : has_room ? kYes : kFull, timeout); !status.ok()) return status;
  const Decision& decided = talk_.decision();
  if (decided.bits != kYes) return refusal(decided);
  std::vector<Rank> living;
  for (Rank member = 0; member < size_; ++member)
    if (!decided.failed.has(member)) living.push_back(group_.ranks()[member]);
  make(std::move(living));
  return {};
}

// There was room when this member said so, and another thread may have made a group since then. The others count on
// this one now, so it tells them that it cannot.
void Agreements::make(std::vector<Rank> ranks) {
  auto made = core::GroupState::make_in_order(group_.table(), std::move(ranks));
  committed_ = made.status();
  if (!made.ok()) return answer(kFull, group_.index());
  smaller_ = *std::move(made);
  looked_at_ = 0;
  shrinking_ = Shrinking::committing;
}

// In slices: a member that has given up greets nobody, and a commit would wait for it for ever. What it says in the
// second agreement can be seen from here.
Status Agreements::commit(Timeout timeout) {
  const util::Deadline deadline(timeout, group_.ports().progress.clock());
  while (true) {
    const Timeout left = deadline.remaining();
    const Timeout slice = std::chrono::nanoseconds(std::min(left.nanoseconds(), kCommitSlice));
    committed_ = smaller_->commit(slice);
    if (!committed_.timed_out()) break;
    if (hears_refusal()) return {};
    if (slice == left) return committed_;
  }
  const bool has_died = committed_.code() == Code::peer_failed;
  answer(committed_.ok() ? kYes : has_died ? kAgain : kNo, committed_.ok() ? kNoMember : group_.index());
  return {};
}

// Each time a member looks at one more of those behind it, and what it finds it shows in turn: so nobody looks at all
// others at once, P members know after sqrt(2 P) slices, and each of them finds it even if nobody passes it on.
bool Agreements::hears_refusal() {
  const std::span<const Rank> ranks = smaller_->ranks();
  if (looked_at_ + 1 < ranks.size()) ++looked_at_;
  for (std::size_t distance = 1; distance <= looked_at_; ++distance)
    if (hears_refusal_of(*group_.member(ranks[(smaller_->index() + distance) % ranks.size()]))) return true;
  return false;
}

// What it says becomes this member's own answer: then it is so even if that one dies before it is asked.
bool Agreements::hears_refusal_of(Rank member) {
  switch (look(member, heard_)) {
    case Look::unseen: return false;
    case Look::gone: answer(kAgain, member); return true;  // its call timed out, and it has deleted the group
    case Look::seen: break;
  }
  if (heard_.number <= talk_.number() || heard_.value.bits == kYes) return false;
  answer(heard_.value.bits, heard_.value.dissenter);
  return true;
}

void Agreements::answer(std::uint64_t bits, Rank refuser) {
  answer_ = bits;
  refuser_ = refuser;
  shrinking_ = Shrinking::confirming;
}

// Null: somebody died before all had committed; once more.
Result<std::unique_ptr<Group>> Agreements::confirm(Timeout timeout) {
  if (Status status = run(answer_, timeout); !status.ok()) return status;
  const Decision& decided = talk_.decision();
  if (decided.bits == kYes) {
    shrinking_ = Shrinking::idle;
    return std::move(smaller_);
  }
  shrinking_ = Shrinking::counting;
  if (decided.bits == kAgain) return std::unique_ptr<Group>();
  if (answer_ != kAgain && refuser_ == group_.index()) return committed_;
  return refusal(decided);
}

// As those get it who could.
Status Agreements::refusal(const Decision& decided) const {
  const std::string what = "a group cannot be shrunk: ",
                    who = "rank " + std::to_string(group_.ranks()[decided.dissenter]);
  if (decided.bits == kNo) return {Code::system, what + who + " or another one had no memory for it"};
  // Where members said several things, the dissenter may not be the one that had no room.
  return {Code::limit, what + (decided.bits == kFull ? who : "a member") + " has as many groups as it can have"};
}

}  // namespace polder::coll

namespace polder {

Result<Agreement> Group::agree(std::uint64_t bits, Timeout timeout) {
  if (Status status = state_->check_committed(); !status.ok()) return status;
  return coll::Agreements::of(*state_).agree(bits, timeout);
}

Result<std::unique_ptr<Group>> Group::shrink(Timeout timeout) {
  if (Status status = state_->check_committed(); !status.ok()) return status;
  return coll::Agreements::of(*state_).shrink(timeout);
}

}  // namespace polder
