// Back to the last committed epoch, together; and reading the parts of those that are gone.
#include "ckpt/checkpoint_state.hpp"

#include <algorithm>
#include <cstring>

namespace polder {

using ckpt::CopyHeader;

namespace {

bool is_whole(const std::byte* copy, std::size_t bytes, std::uint64_t epoch) {
  CopyHeader header;
  std::memcpy(&header, copy, sizeof header);
  return header.epoch == epoch && header.bytes == bytes &&
         header.checksum == ckpt::checksum_of(epoch, {copy + sizeof header, bytes});
}

}  // namespace

Result<Restored> Checkpoint::restore(Timeout timeout) {
  State& s = *state_;
  if (!s.opened) return Status(Code::invalid_argument, "checkpoint: restore() before open()");
  if (!s.restored) {
    if (auto status = s.end_round(timeout); !status.ok()) return status;
    if (s.last != s.spec.first_epoch) {
      if (auto status = s.find_lost(timeout); !status.ok()) return status;
      if (auto status = s.fill_ranges(); !status.ok()) return status;
    }
    s.restored = true;
  }
  return Restored{s.last, s.failed};
}

// Rounds are ended one by one, as at those members that are ahead or behind, until one has ended without an epoch.
Status Checkpoint::State::end_round(Timeout timeout) {
  while (!closed) {
    auto status = decide(false, timeout);
    if (!status.ok() && !closed) return status;
  }
  return {};
}

bool Checkpoint::State::holds(std::size_t member, std::uint64_t epoch) const {
  const auto& keepers = layout.keepers(member);
  return std::find(keepers.begin(), keepers.end(), me()) != keepers.end() &&
         is_whole(copy_here(member, epoch), layout.bytes(member), epoch);
}

// All that live learn the same: whether each of them has its own part, and which parts of the dead nobody has.
Status Checkpoint::State::find_lost(Timeout timeout) {
  constexpr std::size_t kBits = 64;
  while (step == 0 || (step - 1) * kBits < failed.size()) {
    std::uint64_t bits = ~std::uint64_t{0};
    const std::size_t first = step == 0 ? 0 : (step - 1) * kBits;
    const std::size_t many = std::min(kBits, failed.size() - std::min(first, failed.size()));
    if (!entered && step == 0 && !holds(me(), last)) {
      auto status = read(me(), last, timeout);
      if (status.timed_out()) return status;
      if (status.ok()) std::memcpy(copy_here(me(), last), reading.copy.data(), reading.copy.size());
      if (!status.ok()) bits = 0;
    }
    for (std::size_t i = 0; step != 0 && !entered && i < many; ++i)  // set: this member has no copy
      if (holds(*group.relative(failed[first + i]), last)) bits &= ~(std::uint64_t{1} << i);
    Agreement agreed;
    if (auto status = vote(bits, timeout, agreed); !status.ok()) return status;
    if (agreed.failed != failed) {  // more have died: all of it again, without them
      failed = std::move(agreed.failed);
      step = 0;
      lost.clear();
      continue;
    }
    if (step == 0 && agreed.bits == 0) lost.push_back(*group.relative(*agreed.dissenter));
    for (std::size_t i = 0; step != 0 && i < many; ++i)
      if ((agreed.bits >> i & 1) != 0) lost.push_back(*group.relative(failed[first + i]));
    ++step;
  }
  if (lost.empty()) return {};
  std::string who;
  for (const std::size_t member : lost) who += (who.empty() ? "" : ", ") + named(member);
  return Status(Code::peer_failed,
                "checkpoint: of epoch " + std::to_string(last) + " no copy is left of the parts of " + who);
}

Status Checkpoint::State::fill_ranges() {
  const std::byte* from = copy_here(me(), last) + sizeof(CopyHeader);
  for (const auto& range : ranges) {
    if (range.bytes != 0) std::memcpy(range.data, from, range.bytes);
    from += range.bytes;
  }
  return {};
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
  if (!s.restored || s.last == s.spec.first_epoch)
    return Status(Code::invalid_argument, "checkpoint: fetch() without an epoch that was restored");
  if (part.size() != *bytes)
    return Status(Code::invalid_size, "checkpoint: the part of " + s.named(member) + " has " + std::to_string(*bytes) +
                                          " bytes, not " + std::to_string(part.size()));
  if (auto status = s.read(member, s.last, timeout); !status.ok()) return status;
  if (!part.empty()) std::memcpy(part.data(), s.reading.copy.data() + sizeof(CopyHeader), part.size());
  return {};
}

// Into `reading.copy`, from the first keeper that has a whole one. timeout: the same call goes on.
Status Checkpoint::State::read(std::size_t member, std::uint64_t epoch, Timeout timeout) {
  if (!arriving.idle() && reading.member != member)  // another one was given up half-way
    if (auto status = arriving.wait(Completion::local, timeout); status.timed_out()) return status;
  if (reading.member != member) {
    reading = {};
    reading.member = member;
  }
  const auto& keepers = layout.keepers(member);
  const std::size_t bytes = sizeof(CopyHeader) + layout.bytes(member);
  for (; reading.turn < keepers.size(); ++reading.turn, reading.posted = false) {
    const std::size_t keeper = keepers[reading.turn];
    Status status;
    if (!reading.posted) {
      reading.copy.assign(bytes, std::byte{0});
      const GlobalAddress there =
          room->at(group.absolute(Rank(keeper)), layout.place(member, keeper, unsigned(epoch & 1)));
      status = rt.get(reading.copy.data(), there, bytes, Post(arriving, timeout));
      if (status.timed_out() || status.code() == Code::queue_full) return Code::timeout;
      reading.posted = status.ok();
    }
    if (status.ok()) status = arriving.wait(Completion::local, timeout);
    if (status.timed_out()) return status;
    if (status.ok() && is_whole(reading.copy.data(), bytes - sizeof(CopyHeader), epoch)) {
      reading.turn = 0;
      reading.posted = false;
      return {};
    }
  }
  reading.turn = 0;
  return Status(Code::peer_failed, "checkpoint: no whole copy of the part of " + named(member) + " in epoch " +
                                       std::to_string(epoch) + " can be reached");
}

}  // namespace polder
