// Back to the last committed epoch, together; and reading the parts of those that are gone.
#include "ckpt/checkpoint_state.hpp"

#include <algorithm>
#include <cstring>

namespace polder {

using ckpt::CopyHeader;
using ckpt::Deadline;

Result<Restored> Checkpoint::restore(Timeout timeout) {
  State& s = *state_;
  if (auto status = s.end(Deadline(s.rt, timeout)); !status.ok()) return status;
  if (s.has_epoch()) s.fill_ranges();
  s.reached("restore: filled");
  return Restored{s.last, s.failed};
}

Result<Restored> Checkpoint::end(Timeout timeout) {
  State& s = *state_;
  if (auto status = s.end(Deadline(s.rt, timeout)); !status.ok()) return status;
  return Restored{s.last, s.failed};
}

Status Checkpoint::State::end(const Deadline& deadline) {
  if (!opened) return Status(Code::invalid_argument, "checkpoint: restore() before open()");
  if (restored) {  // once more, maybe with fewer members
    restored = false;
    step = 0;
  }
  if (auto status = end_round(deadline); !status.ok()) return status;
  reached("restore: ended");
  if (has_epoch())
    if (auto status = find_lost(deadline); !status.ok()) return status;
  restored = true;
  return {};
}

// Rounds are ended one by one, as at those members that are ahead or behind, until one has ended without an epoch.
Status Checkpoint::State::end_round(const Deadline& deadline) {
  while (!closed) {
    auto status = decide(false, deadline);
    if (!status.ok() && !closed) return status;
  }
  return {};
}

bool Checkpoint::State::holds(std::size_t member, std::uint64_t epoch) const {
  const auto& keepers = layout.keepers(member);
  return std::find(keepers.begin(), keepers.end(), me()) != keepers.end() &&
         ckpt::is_whole(copy_here(member, epoch), layout.bytes(member), epoch);
}

ckpt::SavedEpoch Checkpoint::State::saved() const {
  return {last, room->id(), {group.ranks().begin(), group.ranks().end()}, layout};
}

// All that live learn the same: whether each of them has its own part, and which parts of the dead nobody has.
Status Checkpoint::State::find_lost(const Deadline& deadline) {
  constexpr std::size_t kBits = 64;
  if (step == 0) lost.clear();
  while (step == 0 || (step - 1) * kBits < failed.size()) {
    const std::size_t first = step == 0 ? 0 : (step - 1) * kBits;
    const std::size_t many = step == 0 ? 0 : std::min(kBits, failed.size() - first);
    std::uint64_t bits = 0;
    if (!entered && step == 0) {
      const Result<std::uint64_t> own = own_copy(deadline);
      if (!own.ok()) return own.status();
      bits = *own;
    } else if (!entered) {
      bits = missing_copies(first, many);
    }
    Agreement agreed;
    if (auto status = vote(bits, deadline, agreed); !status.ok()) return status;
    reached("restore: looked");
    if (agreed.failed != failed) {  // more have died: all of it again, without them
      failed = std::move(agreed.failed);
      step = 0;
      lost.clear();
      continue;
    }
    if (step == 0 && agreed.bits == 0) lost.push_back(*group.relative(*agreed.dissenter));
    for (std::size_t i = 0; i < many; ++i)
      if ((agreed.bits >> i & 1) != 0) lost.push_back(*group.relative(failed[first + i]));
    ++step;
  }
  if (lost.empty()) return {};
  std::string who;
  for (const std::size_t member : lost) who += (who.empty() ? "" : ", ") + named(member);
  return Status(Code::peer_failed,
                "checkpoint: of epoch " + std::to_string(last) + " no copy is left of the parts of " + who);
}

// All bits if this member's own copy is whole, if need be with the help of a mirror; else none. Or a timeout.
Result<std::uint64_t> Checkpoint::State::own_copy(const Deadline& deadline) {
  if (holds(me(), last)) return ~std::uint64_t{0};
  Status status = reader.read(saved(), me(), deadline);
  if (status.timed_out()) return status;
  if (!status.ok()) return std::uint64_t{0};
  const CopyHeader header = {last, layout.bytes(me()), ckpt::checksum_of(last, reader.data())};
  std::memcpy(copy_here(me(), last), &header, sizeof header);
  std::memcpy(copy_here(me(), last) + sizeof header, reader.data().data(), reader.data().size());
  return ~std::uint64_t{0};
}

// Bit i is set if this member has no whole copy of the part of failed[first + i].
std::uint64_t Checkpoint::State::missing_copies(std::size_t first, std::size_t many) const {
  std::uint64_t bits = ~std::uint64_t{0};
  for (std::size_t i = 0; i < many; ++i)
    if (holds(*group.relative(failed[first + i]), last)) bits &= ~(std::uint64_t{1} << i);
  return bits;
}

void Checkpoint::State::fill_ranges() {
  const std::byte* from = copy_here(me(), last) + sizeof(CopyHeader);
  for (const auto& range : ranges) {
    if (range.bytes != 0) std::memcpy(range.data, from, range.bytes);
    from += range.bytes;
  }
}

// ---- parts of others ----

std::vector<Rank> Checkpoint::copies_of(Rank member) const {
  std::vector<Rank> ranks;
  if (!state_->opened || member >= state_->group.size()) return ranks;
  for (const std::size_t keeper : state_->layout.keepers(member)) ranks.push_back(state_->group.absolute(Rank(keeper)));
  return ranks;
}

Result<std::size_t> Checkpoint::bytes_of(Rank member) const {
  if (!state_->opened || member >= state_->group.size())
    return Status(Code::invalid_rank, "checkpoint: there is no member " + std::to_string(member));
  return state_->layout.bytes(member);
}

Status Checkpoint::fetch(Rank member, std::span<std::byte> part, Timeout timeout) {
  State& s = *state_;
  const auto bytes = bytes_of(member);
  if (!bytes.ok()) return bytes.status();
  if (!s.has_epoch()) return Status(Code::invalid_argument, "checkpoint: fetch() before anything was committed");
  if (part.size() != *bytes)
    return Status(Code::invalid_size, "checkpoint: the part of " + s.named(member) + " has " + std::to_string(*bytes) +
                                          " bytes, not " + std::to_string(part.size()));
  if (auto status = s.reader.read(s.saved(), member, Deadline(s.rt, timeout)); !status.ok()) return status;
  if (!part.empty()) std::memcpy(part.data(), s.reader.data().data(), part.size());
  return {};
}

}  // namespace polder
