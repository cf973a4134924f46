// What the work calls: ranges, the beginning from the last epoch, and the next epochs.
#include "ckpt/saved_parts.hpp"
#include "ckpt/set_state.hpp"

#include <polder/clock.hpp>

#include <algorithm>
#include <cstring>

namespace polder {

using ckpt::Deadline;

namespace {

Status not_begun(const char* what) {
  return Status(Code::invalid_argument, "working set: " + std::string(what) + "() before begin()");
}

}  // namespace

Group& Member::group() const {
  return *state_.formation->group;
}
Runtime& Member::runtime() const {
  return state_.rt;
}
const std::vector<Recovery>& Member::recoveries() const {
  return state_.recoveries;
}

Status Member::keep(void* data, std::size_t bytes) {
  State& s = state_;
  if (s.opening || s.in_use()) return Status(Code::invalid_argument, "working set: keep() after begin()");
  if (data == nullptr && bytes != 0)
    return Status(Code::invalid_argument, "working set: range " + std::to_string(s.ranges.size()) + " has no address");
  s.ranges.push_back({static_cast<std::byte*>(data), bytes});
  return {};
}

// ---- begin ----

Status Member::begin(Timeout timeout, const Redistribute& redistribute) {
  State& s = state_;
  if (s.opening || s.in_use()) return Status(Code::invalid_argument, "working set: begin() was called before");
  const Deadline deadline(s.rt, timeout);
  std::uint64_t epoch = s.known.epoch;
  if (epoch != 0) {
    const Status mine = s.fill(deadline, redistribute);
    s.reached("begin: filled");
    if (Status status = s.all_could(mine, epoch, deadline); !status.ok()) return status;
  } else if (!s.spec.directory.empty()) {
    const Result<std::uint64_t> loaded = s.load(deadline, redistribute);
    if (!loaded.ok()) return loaded.status();
    epoch = *loaded;
  }
  if (Status status = s.open(epoch, deadline); !status.ok()) return status;
  s.holding = State::Holding{s.number, s.formation, std::move(s.opening)};
  s.reached("begin: adopted");
  if (!s.recoveries.empty() && s.recoveries.back().epoch == 0) {
    s.recoveries.back().epoch = epoch;
    s.recoveries.back().seconds = double(now_ns(s.rt) - s.heard_ns) * 1e-9;
  }
  return {};
}

std::size_t Member::State::kept_bytes() const {
  std::size_t bytes = 0;
  for (const auto& range : ranges) bytes += range.bytes;
  return bytes;
}

// A survivor's own copy is at hand; a joiner's part comes from a mirror.
Status Member::State::fill(const Deadline& deadline, const Redistribute& redistribute) {
  const std::size_t me = formation->group->index();
  const bool same_size = known.ranks.size() == formation->group->size();
  if (same_size && holding && holding->checkpoint->state().holds(me, known.epoch)) return fill_from_own_copy();
  ckpt::PartsInMemory parts(rt, known);
  return fill_from(parts, known.epoch, deadline, redistribute);
}

Status Member::State::fits(std::size_t bytes, std::uint64_t epoch) const {
  if (kept_bytes() == bytes) return {};
  return Status(Code::invalid_size, "working set: place " + std::to_string(formation->group->index()) + " keeps " +
                                        std::to_string(kept_bytes()) + " bytes, and its part of epoch " +
                                        std::to_string(epoch) + " has " + std::to_string(bytes));
}

Status Member::State::fill_from_own_copy() {
  const std::size_t me = formation->group->index();
  if (Status status = fits(known.layout.bytes(me), known.epoch); !status.ok()) return status;
  const std::byte* from = holding->checkpoint->state().copy_here(me, known.epoch) + sizeof(ckpt::CopyHeader);
  for (const auto& range : ranges) {
    if (range.bytes != 0) std::memcpy(range.data, from, range.bytes);
    from += range.bytes;
  }
  return {};
}

Status Member::State::fill_from(SavedParts& parts, std::uint64_t epoch, const Deadline& deadline,
                                const Redistribute& redistribute) {
  const Rank me = formation->group->index(), size = Rank(formation->group->size());
  if (parts.size() != size) {
    if (redistribute) return redistribute(parts);
    return Status(Code::invalid_argument, "working set: epoch " + std::to_string(epoch) + " has " +
                                              std::to_string(parts.size()) + " parts, there are " +
                                              std::to_string(size) +
                                              " members, and the program does not redistribute them");
  }
  Status status = fits(parts.bytes_of(me), epoch);
  std::size_t from = 0;
  for (const auto& range : ranges) {
    if (status.ok()) status = parts.read(me, from, {range.data, range.bytes}, deadline);
    from += range.bytes;
  }
  return status;
}

// Before anything else is asked of the others: who could not would keep them waiting.
Status Member::State::all_could(const Status& mine, std::uint64_t epoch, const Deadline& deadline) {
  const Result<Agreement> agreed = formation->group->agree(bits_of(mine), deadline);
  reached("begin: all filled");
  if (!agreed.ok()) return agreed.status();
  if (!mine.ok()) return mine;
  if (says_failed(*agreed)) return Code::closed;
  if (!agreed->failed.empty())
    return Status(Code::peer_failed, "working set: rank " + std::to_string(agreed->failed.front()) + " is gone");
  if (!says_again(*agreed)) return {};
  return Status(Code::peer_failed, "working set: rank " + std::to_string(*agreed->dissenter) +
                                       " could not get its part of epoch " + std::to_string(epoch));
}

// The epoch that all have is the first that the new checkpoint commits; until then the one before has it.
Status Member::State::open(std::uint64_t epoch, const Deadline& deadline) {
  const bool resumes = epoch != 0;
  Group& group = *formation->group;
  CheckpointSpec wanted;
  wanted.mirrors = std::min(spec.mirrors, std::uint32_t(group.size() - 1));
  wanted.changed_pages = spec.changed_pages;
  wanted.first_epoch = resumes ? epoch - 1 : 0;
  wanted.memory_limit = spec.memory_limit;
  wanted.at_step = spec.at_step;
  opening = std::make_unique<Checkpoint>(rt, group, wanted);
  Status status;
  for (const auto& range : ranges)
    if (status.ok()) status = opening->add(range.data, range.bytes);
  if (status.ok()) status = opening->open(deadline);
  if (!resumes || !status.ok()) return status;
  status = opening->start(deadline);
  return status.ok() || status.code() == Code::peer_failed ? opening->commit(deadline) : status;
}

// ---- epochs ----

Status Member::start(Timeout timeout) {
  if (!state_.in_use()) return not_begun("start");
  // The copy that is being written gives way to the one after the next.
  if (state_.storing) return Status(Code::busy, "working set: start() before store() has ended; call that again");
  return state_.holding->checkpoint->start(timeout);
}

Status Member::commit(Timeout timeout) {
  return state_.in_use() ? state_.holding->checkpoint->commit(timeout) : not_begun("commit");
}

Status Member::save(Timeout timeout) {
  if (!state_.in_use()) return not_begun("save");
  const Deadline deadline(state_.rt, timeout);
  Checkpoint& checkpoint = *state_.holding->checkpoint;
  if (!checkpoint.started()) {
    Status status = start(deadline);
    // Of a mirror that is gone commit() tells all.
    if (!status.ok() && (status.code() != Code::peer_failed || !checkpoint.started())) return status;
  }
  return checkpoint.commit(deadline);
}

std::uint64_t Member::epoch() const {
  return state_.in_use() ? state_.holding->checkpoint->epoch() : state_.known.epoch;
}

}  // namespace polder
