// Epochs to disk and from there: what one member cannot write or read, all have not.
#include "ckpt/set_state.hpp"

#include <polder/clock.hpp>

#include <algorithm>
#include <cstring>

namespace polder {

using ckpt::Deadline;
using ckpt::EpochFiles;
using ckpt::EpochTable;

namespace {

// Of a directory that cannot be listed.
constexpr std::uint64_t kUnknownEpoch = ~std::uint64_t{0};

// What place 0 may begin from by what the members say that they see: not where one does not know, or where another one sees a later
// epoch. Place 0 does not see the directory then, or not all of it.
Status all_see_what_place_0_does(std::span<const std::uint64_t> latest) {
  for (std::size_t place = 0; place < latest.size(); ++place)
    if (latest[place] == kUnknownEpoch)
      return Status(Code::system, "working set: place " + std::to_string(place) + " cannot list the epochs on disk");
  const std::size_t newest = std::size_t(std::ranges::max_element(latest) - latest.begin());
  if (latest[newest] == latest[0]) return {};
  return Status(Code::system, "working set: place " + std::to_string(newest) + " sees epoch " +
                                  std::to_string(latest[newest]) + " on disk, and place 0 " +
                                  (latest[0] == 0 ? "none" : "only " + std::to_string(latest[0])));
}

}  // namespace

// ---- store ----

Status Member::store(Timeout timeout) {
  State& s = state_;
  if (!s.in_use()) return Status(Code::invalid_argument, "working set: store() before begin()");
  if (s.spec.directory.empty()) return Status(Code::invalid_argument, "working set: store() without a directory");
  if (epoch() == 0) return Status(Code::invalid_argument, "working set: store() before the first commit()");
  const EpochFiles files(s.spec.directory);
  if (!s.storing) {
    s.storing = State::Storing{};
    s.storing->draft = {epoch(), s.number, s.formation->stores++};
    s.storing->mine.place = place();
    s.storing->mine.whole = s.seen.last_before(epoch());
    s.storing->all.resize(size());
  }
  Status status = s.store_step(files, Deadline(s.rt, timeout));
  if (!status.timed_out()) s.storing.reset();
  return status;
}

// Written by each, told to all; published by place 0, told to all.
Status Member::State::store_step(const EpochFiles& files, const Deadline& deadline) {
  const auto tell_all = [&] {
    return formation->storing->allgather(std::as_bytes(std::span(&storing->mine, 1)),
                                         std::as_writable_bytes(std::span(storing->all)), deadline);
  };
  const auto first_failure = [&] {
    Status status = storing->trouble;
    for (const Written& written : storing->all)
      if (status.ok() && written.done == 0)
        status = Status(Code::system, "checkpoint: place " + std::to_string(written.place) +
                                          " could not store its part of epoch " + std::to_string(storing->draft.epoch));
    if (!status.ok() && formation->group->index() == 0) files.discard(storing->draft);
    return status;
  };
  for (; storing->step < 4; ++storing->step) {
    const bool tells = storing->step % 2 == 1;
    if (!tells) storing->trouble = storing->step == 0 ? write_own_part(files) : publish(files);
    if (!tells) storing->mine.done = storing->trouble.ok();
    reached(tells ? "store: telling" : storing->step == 0 ? "store: written" : "store: published");
    if (!tells) continue;
    if (Status status = tell_all(); !status.ok()) return status;
    if (Status status = first_failure(); !status.ok()) return status;
  }
  seen.remember(storing->draft.epoch);
  return {};
}

Status Member::State::write_own_part(const EpochFiles& files) {
  const Checkpoint::State& saved = holding->checkpoint->state();
  const std::size_t me = formation->group->index(), bytes = saved.layout.bytes(me);
  if (!saved.holds(me, storing->draft.epoch))
    return Status(Code::system, "checkpoint: the copy of epoch " + std::to_string(storing->draft.epoch) + " at place " +
                                    std::to_string(me) + " is damaged");
  const std::byte* const copy = saved.copy_here(me, storing->draft.epoch);
  ckpt::CopyHeader header;
  std::memcpy(&header, copy, sizeof header);
  storing->mine.part = {header.bytes, header.checksum};
  return files.write_part(storing->draft, me, {copy, sizeof header + bytes});
}

Status Member::State::publish(const EpochFiles& files) {
  if (formation->group->index() != 0) return {};
  EpochTable table;
  table.epoch = storing->draft.epoch;
  table.parts.resize(storing->all.size());
  ckpt::EpochsSeen by_all{.torn = seen.torn};  // a spare at place 0 was not there when the others loaded, or stored
  for (const Written& written : storing->all) {
    table.parts[written.place] = written.part;
    by_all.whole = std::max(by_all.whole, written.whole);
  }
  return files.publish(storing->draft, table, by_all);
}

// ---- load ----

// The last epoch that is whole, or 0: there is none.
Result<std::uint64_t> Member::State::load(const Deadline& deadline, const Redistribute& redistribute) {
  const EpochFiles files(spec.directory);
  seen = {};
  Result<std::optional<ckpt::PartsOnDisk>> parts = find_whole(files, deadline);
  if (!parts.ok()) return std::move(parts).status();
  if (!*parts) return std::uint64_t{0};
  const std::uint64_t epoch = (*parts)->epoch();
  seen.remember(epoch);
  const Status mine = fill_from(**parts, epoch, deadline, redistribute);
  reached("begin: loaded");
  if (Status status = all_could(mine, epoch, deadline); !status.ok()) return status;
  return epoch;
}

// Place 0 says which epoch; each member looks at some of its parts. One that is not whole at one of them is none for all. Where one
// cannot look there is no answer: to begin from an older epoch, or from nothing, would be the end of those that are there.
Result<std::optional<ckpt::PartsOnDisk>> Member::State::find_whole(const EpochFiles& files, const Deadline& deadline) {
  Group& group = *formation->group;
  const Rank size = Rank(group.size());
  const auto found = files.epochs();
  for (std::size_t i = 0;; ++i) {
    const std::uint64_t mine = !found.ok() ? kUnknownEpoch : i < found->size() ? (*found)[i] : 0;
    const auto told = group.allgather(std::as_bytes(std::span(&mine, 1)), deadline);
    if (!told.ok()) return told.status();
    std::vector<std::uint64_t> said(size);
    std::memcpy(said.data(), told->data(), told->size());
    if (!found.ok()) return found.status();
    if (i == 0)
      if (Status status = all_see_what_place_0_does(said); !status.ok()) return status;
    if (said[0] == 0) return std::optional<ckpt::PartsOnDisk>();
    std::optional<ckpt::PartsOnDisk> parts;
    const Result<bool> whole = look_at_parts(files, said[0], parts);
    const Result<Agreement> agreed = group.agree(!whole.ok() ? kFailed : *whole ? kDone : kAgain, deadline);
    reached("begin: looked at disk");
    if (!agreed.ok()) return agreed.status();
    if (!whole.ok()) return whole.status();
    if (!agreed->failed.empty())
      return Status(Code::peer_failed, "working set: rank " + std::to_string(agreed->failed.front()) + " is gone");
    if (says_failed(*agreed))
      return Status(Code::system, "working set: a member cannot look at epoch " + std::to_string(said[0]) + " on disk");
    if (agreed->bits == kDone) return parts;
    seen.torn.push_back(said[0]);
  }
}

// Those that fall to this member.
Result<bool> Member::State::look_at_parts(const EpochFiles& files, std::uint64_t epoch,
                                          std::optional<ckpt::PartsOnDisk>& parts) const {
  const Rank me = formation->group->index(), size = Rank(formation->group->size());
  Result<std::optional<EpochTable>> table = files.table(epoch);
  if (!table.ok()) return std::move(table).status();
  if (!*table) return false;
  parts.emplace(files, **std::move(table));
  for (Rank part = me; part < parts->size(); part += size) {
    const Result<bool> whole = parts->is_whole(part);
    if (!whole.ok() || !*whole) return whole;
  }
  return true;
}

}  // namespace polder
