#include "core/group/leader_exchange.hpp"

#include "core/group/barrier.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/queue_state.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/progress.hpp"

#include <bit>
#include <utility>

namespace polder::core {
namespace {

constexpr std::uint32_t kMarkBits = 24;  // of a flag; above them is the code of a failure, or 0
constexpr std::uint32_t kMarkMask = (1u << kMarkBits) - 1;

}  // namespace

void LeaderExchange::set_up(Setting setting) {
  setting_ = std::move(setting);
  steps_ = doubling_steps();
  for (auto& queue : sent_) queue = setting_.ports->one_sided.make_internal_queue();
}

LeaderExchange::Way LeaderExchange::way_of(const ReductionPiece& piece) const {
  if (piece.bytes() > setting_.room.longest_whole()) return Way::slices;
  return setting_.room.few() ? Way::whole : Way::doubling;
}

std::vector<Rank> LeaderExchange::partners(const ReductionPiece& piece) const {
  if (way_of(piece) != Way::doubling) return {setting_.leaders.begin(), setting_.leaders.end()};
  std::vector<Rank> members;
  for (const Step& step : steps_)
    if (step.to) members.push_back(setting_.leaders[*step.to]);
  return members;
}

void LeaderExchange::begin(const ReductionPiece& piece, std::uint64_t number, Status failure) {
  number_ = number;
  parity_ = number & 1;
  way_ = way_of(piece);
  stage_ = 0;
  next_ = 0;
  told_ = heard_ = false;
  result_ = way_ == Way::doubling ? setting_.room.own(parity_) : setting_.room.result(parity_);
  failure_ = std::move(failure);
}

Status LeaderExchange::run(const ReductionPiece& piece, Timeout timeout) {
  timeout_ = timeout;
  deadline_ = util::Deadline(timeout, setting_.ports->progress.clock());
  Status status = way_ == Way::whole ? run_whole(piece) : way_ == Way::slices ? run_slices(piece) : run_doubling(piece);
  return status.ok() ? wait_for_earlier_letters() : status;
}

// So that what the next reduction writes to these flags and sends from this memory meets nothing of the one before
// last. That has arrived long ago, and is only not acknowledged at worst.
Status LeaderExchange::wait_for_earlier_letters() {
  return sent_[parity_ ^ 1]->wait(Completion::remote, left());
}

// ---- the ways ----

// Goes on behind a stage, once.
Status LeaderExchange::finish(int stage, Status status) {
  if (!status.ok()) return status;
  stage_ = stage + 1;
  next_ = 0;
  return {};
}

Status LeaderExchange::run_whole(const ReductionPiece& piece) {
  const ReductionRoom& room = setting_.room;
  const auto slot = [&](std::size_t place) { return room.incoming(parity_) + place * room.few_slot(); };
  const auto letter = [&](std::size_t) {
    return Letter{room.own(parity_), slot(setting_.place), piece.bytes(), room.first_flag(parity_, setting_.place)};
  };
  if (stage_ == 0)
    if (Status status = finish(0, send_all(letter)); !status.ok()) return status;
  if (stage_ == 1)
    if (Status status = finish(1, hear_all([&](std::size_t place) { return room.first_flag(parity_, place); }));
        !status.ok())
      return status;
  if (stage_ == 2) {
    const auto vector = [&](std::size_t place) { return place == setting_.place ? room.own(parity_) : slot(place); };
    return finish(2, combine_all(piece, piece.elements, room.result(parity_), vector));
  }
  return {};
}

Status LeaderExchange::run_slices(const ReductionPiece& piece) {
  const ReductionRoom& room = setting_.room;
  const auto offset = [&](std::size_t place) { return slice_begin(piece, place) * piece.element_size; };
  const auto bytes = [&](std::size_t place) { return slice_elements(piece, place) * piece.element_size; };
  const auto slot = [&](std::size_t place) { return room.incoming(parity_) + place * room.slice_slot(); };
  const std::size_t me = setting_.place, sum = room.result(parity_) + offset(me);
  const auto slice = [&](std::size_t to) {
    return Letter{room.own(parity_) + offset(to), slot(me), bytes(to), room.first_flag(parity_, me)};
  };
  const auto combined = [&](std::size_t) { return Letter{sum, sum, bytes(me), room.second_flag(parity_, me)}; };
  const auto vector = [&](std::size_t place) { return place == me ? room.own(parity_) + offset(me) : slot(place); };
  Status status;
  if (stage_ == 0) status = finish(0, send_all(slice));
  if (status.ok() && stage_ == 1)
    status = finish(1, hear_all([&](std::size_t place) { return room.first_flag(parity_, place); }));
  if (status.ok() && stage_ == 2) status = finish(2, combine_all(piece, slice_elements(piece, me), sum, vector));
  if (status.ok() && stage_ == 3) status = finish(3, send_all(combined));
  if (status.ok() && stage_ == 4)
    status = finish(4, hear_all([&](std::size_t place) { return room.second_flag(parity_, place); }));
  return status;
}

Status LeaderExchange::run_doubling(const ReductionPiece& piece) {
  for (; next_ < steps_.size(); ++next_, told_ = heard_ = false)
    if (Status status = take_step(piece, steps_[next_]); !status.ok()) return status;
  return {};
}

// Each step leaves what it makes in a place of its own: what it began with may still be on its way.
Status LeaderExchange::take_step(const ReductionPiece& piece, const Step& step) {
  const ReductionRoom& room = setting_.room;
  const std::size_t slot = room.incoming(parity_) + step.slot * room.doubling_slot();
  const NotificationId flag = room.step_flag(parity_, step.slot);
  if (step.to && !told_)
    if (Status status = send(*step.to, {result_, slot, piece.bytes(), flag}); !status.ok()) return status;
  told_ = true;
  if (!step.from) return {};
  if (!heard_)
    if (Status status = hear(flag, *step.from); !status.ok()) return status;
  heard_ = true;
  if (!step.combines) {
    result_ = slot;
    return {};
  }
  const bool first = setting_.place < *step.from;
  const std::size_t next = room.result(parity_) + step.slot * room.doubling_slot();
  Status status = combine(piece, piece.elements, first ? result_ : slot, first ? slot : result_, next);
  if (status.ok()) result_ = next;
  return status;
}

// Of the first 2 r places, where r leaders are beyond a power of two, those with odd numbers hand their vectors to the
// ones before and get the result from them. The others double.
std::vector<LeaderExchange::Step> LeaderExchange::doubling_steps() const {
  const std::size_t leaders = setting_.leaders.size(), power = std::bit_floor(leaders), beyond = leaders - power;
  const std::size_t me = setting_.place, last = setting_.room.steps() - 1;
  const bool paired = me < 2 * beyond;
  if (paired && me % 2 == 1)
    return {{.to = me - 1, .from = {}, .slot = 0}, {.to = {}, .from = me - 1, .combines = false, .slot = last}};
  std::vector<Step> steps;
  if (paired) steps.push_back({.to = {}, .from = me + 1, .slot = 0});
  const std::size_t doubling = paired ? me / 2 : me - beyond;
  for (std::size_t distance = 1, slot = 1; distance < power; distance *= 2, ++slot) {
    const std::size_t other = doubling ^ distance, place = other < beyond ? 2 * other : other + beyond;
    steps.push_back({.to = place, .from = place, .slot = slot});
  }
  if (paired) steps.push_back({.to = me + 1, .from = {}, .slot = last});
  return steps;
}

// ---- what they are made of ----

template <class LetterTo>
Status LeaderExchange::send_all(LetterTo&& letter_to) {
  for (; next_ < setting_.leaders.size(); ++next_) {
    // Each begins behind its own place, so that not all send to the same one at the same time.
    const std::size_t to = (setting_.place + next_) % setting_.leaders.size();
    if (to == setting_.place) continue;
    if (Status status = send(to, letter_to(to)); !status.ok()) return status;
  }
  return {};
}

template <class FlagOf>
Status LeaderExchange::hear_all(FlagOf&& flag_of) {
  for (; next_ < setting_.leaders.size(); ++next_) {
    if (next_ == setting_.place) continue;
    if (Status status = hear(flag_of(next_), next_); !status.ok()) return status;
  }
  return {};
}

// In the order of places.
template <class VectorOf>
Status LeaderExchange::combine_all(const ReductionPiece& piece, std::size_t elements, std::size_t result,
                                   VectorOf&& vector_of) {
  for (; next_ + 1 < setting_.leaders.size(); ++next_) {
    const std::size_t before = next_ == 0 ? vector_of(0) : result;
    if (Status status = combine(piece, elements, before, vector_of(next_ + 1), result); !status.ok()) return status;
  }
  return {};
}

// Only a timeout is returned: all others go on to the end, to hear there that there is no result.
Status LeaderExchange::combine(const ReductionPiece& piece, std::size_t elements, std::size_t one, std::size_t two,
                               std::size_t result) {
  if (elements == 0 || !failure_.ok()) return {};
  Status status = piece.combine(at(one), at(two), at(result), elements);
  if (status.timed_out()) return status;
  note(std::move(status));
  return {};
}

void LeaderExchange::note(Status failure) {
  if (failure_.ok()) failure_ = std::move(failure);
}

Status LeaderExchange::send(std::size_t place, const Letter& letter) {
  const MemberMemory& to = setting_.memories[setting_.leaders[place]];
  if (!to.segment->live()) return deleted_by(rank_of(place));
  const Notification flag{letter.flag, mark() | std::uint32_t(failure_.code()) << kMarkBits, to.id};
  const Shape shape(letter.bytes);
  Post post(*sent_[parity_], left());
  post.ordering = Ordering::unordered;  // nothing that is under way is touched
  Status status = setting_.ports->one_sided.transfer(
      {Transfer::Kind::put, at(letter.from), {rank_of(place), to.id, letter.to}, shape, &flag, post});
  if (status.code() == Code::invalid_segment) return deleted_by(rank_of(place));  // meanwhile
  return status.code() == Code::queue_full ? Status(Code::timeout) : status;
}

// Another group may live in its place by now. Or it went because a member is dead: then that is the news.
Status LeaderExchange::deleted_by(Rank rank) {
  if (Status status = setting_.barrier->trouble(GroupProgress::reductions, number_); !status.ok()) return status;
  return {Code::invalid_group, "allreduce: rank " + std::to_string(rank) + " has deleted the group"};
}

Status LeaderExchange::hear(NotificationId id, std::size_t place) {
  const auto& flag = own().control->flags()[id];
  const auto arrived = [&] { return (flag.load(std::memory_order_acquire) & kMarkMask) == mark(); };
  Status status = setting_.ports->progress.wait(
      arrived, [this] { return setting_.barrier->trouble(GroupProgress::reductions, number_); }, own().control->bell,
      left());
  if (!status.ok()) return status;
  if (const auto code = Code(flag.load(std::memory_order_relaxed) >> kMarkBits); code != Code::ok)
    note({code, "allreduce: combining failed at rank " + std::to_string(rank_of(place)), Died::operation});
  return {};
}

}  // namespace polder::core
