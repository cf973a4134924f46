// Telling a group where the copies of an ended checkpoint are.
#include "ckpt/checkpoint_state.hpp"
#include "ckpt/epoch_words.hpp"
#include "ckpt/saved_parts.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <cassert>

namespace polder {
namespace {

// What a member says first.
struct Told {
  std::uint64_t epoch = 0;
  std::uint64_t parts = 0;  // 0: it knows of no epoch
};

}  // namespace

struct SharedParts::State {
  State(Runtime& runtime, Group& members, const Checkpoint* own) : rt(runtime), group(members), ended(own) {}

  Runtime& rt;
  Group& group;
  const Checkpoint* const ended;
  Told mine;
  std::vector<Told> all;
  std::optional<Rank> teller;
  std::vector<std::uint64_t> words;
  bool is_broadcasting = false;  // it has timed out
  ckpt::SavedEpoch saved;
  std::optional<ckpt::PartsInMemory> parts;  // once it is known
};

SharedParts::SharedParts(Runtime& rt, Group& group, const Checkpoint* ended)
    : state_(std::make_unique<State>(rt, group, ended)) {}

// A broadcast that has timed out and was not gone on with has words of this object until it ends.
SharedParts::~SharedParts() {
  if (state_->is_broadcasting) state_->group.lose_step();
}

Status SharedParts::share(Timeout timeout) {
  State& s = *state_;
  const ckpt::Deadline deadline(s.rt, timeout);
  if (!s.teller) {
    const bool knows = s.ended != nullptr && s.ended->state().restored && s.ended->state().has_epoch();
    if (knows) s.saved = s.ended->state().saved();
    s.mine = {s.saved.epoch, s.saved.ranks.size()};
    s.all.resize(s.group.size());
    if (Status status =
            s.group.allgather(std::as_bytes(std::span(&s.mine, 1)), std::as_writable_bytes(std::span(s.all)), deadline);
        !status.ok())
      return status;
    const auto newest = std::max_element(s.all.begin(), s.all.end(), [](const Told& a, const Told& b) {
      return a.parts == 0 ? b.parts != 0 : b.parts != 0 && a.epoch < b.epoch;
    });
    if (newest->parts == 0)
      return Status(Code::invalid_argument, "checkpoint: no member of the group has a committed epoch that is whole");
    s.teller = Rank(newest - s.all.begin());
    s.words =
        s.group.index() == *s.teller
            ? ckpt::encode_epoch(s.saved)
            : std::vector<std::uint64_t>(ckpt::words_of_epoch(std::min<std::uint64_t>(newest->parts, s.rt.size())));
  }
  if (!s.parts) {
    Status status = broadcast(s.group, *s.teller, s.words.data(), s.words.size() * sizeof(std::uint64_t), deadline);
    s.is_broadcasting = status.timed_out();
    if (!status.ok()) return status;
    auto heard = ckpt::decode_epoch(s.words, s.rt.size());
    if (!heard.ok()) return std::move(heard).status();
    s.saved = *std::move(heard);
    s.parts.emplace(s.rt, s.saved);
  }
  return {};
}

std::uint64_t SharedParts::epoch() const {
  assert(state_->parts);
  return state_->saved.epoch;
}

std::span<const Rank> SharedParts::ranks() const {
  assert(state_->parts);
  return state_->saved.ranks;
}

Rank SharedParts::size() const {
  assert(state_->parts);
  return state_->parts->size();
}

std::size_t SharedParts::bytes_of(Rank place) const {
  assert(state_->parts && place < size());
  return state_->parts->bytes_of(place);
}

Status SharedParts::read(Rank place, std::size_t offset, std::span<std::byte> bytes, Timeout timeout) {
  assert(state_->parts);
  return state_->parts->read(place, offset, bytes, timeout);
}

}  // namespace polder
