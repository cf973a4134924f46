#include "coll/rows/row_cache.hpp"
#include "util/assert.hpp"

#include <iterator>

namespace polder::coll {

Status RowCache::hear() {
  for (RowPipe& pipe : answers_) {
    while (const RowRecord* const record = pipe.next()) {
      if (record->row == no_row_)
        reached_[pipe.peer()] = record->clock;
      else if (!hear_of(*record))
        return pipe.refused();
      pipe.take();
    }
    if (pipe.is_damaged()) return pipe.refused();
  }
  return {};
}

// False: it is no answer to what this member has asked.
bool RowCache::hear_of(const RowRecord& record) {
  const auto found = places_.find(record.row);
  const bool answers = record.kind == RowRecord::Kind::row || record.kind == RowRecord::Kind::initial;
  if (found == places_.end() || !found->second->is_asked || !answers || record.slowest >= told_.size()) return false;
  Entry& entry = *found->second;
  entry.is_asked = false;
  // Written before the keeper heard what this member has done to the row since it asked: whoever needs it asks again.
  if (record.heard < entry.told) return true;
  std::byte* here = known_.find(record.row);
  if (here == nullptr) here = known_.add(record.row);
  if (record.has_values())
    RowValues::copy(RowPipe::values(record), here, values_.bytes());
  else
    values_.begin(record.row, here);
  entry = {record.row, record.clock, record.newest, record.slowest, true, false, entry.told};
  return true;
}

const RowCache::Entry* RowCache::fresh(std::uint64_t row, std::uint64_t clock) {
  const auto found = places_.find(row);
  if (found == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  const Entry& entry = *found->second;
  return entry.is_known && entry.oldest >= clock ? &entry : nullptr;
}

bool RowCache::ask(std::uint64_t row, std::uint64_t clock, Rank keeper) {
  auto found = places_.find(row);
  if (found == places_.end()) {
    entries_.push_front({.row = row});
    found = places_.emplace(row, entries_.begin()).first;
  }
  Entry& entry = *found->second;
  POLDER_ASSERT(!entry.is_known || entry.oldest < clock);
  if (entry.is_asked) return true;  // what comes may be too old; then it is asked for again
  if (!told_[keeper].has_room(false)) return false;
  told_[keeper].write({RowRecord::Kind::ask, 0, row, clock});
  entry.is_asked = true;
  return true;
}

bool RowCache::ask_reached(std::uint64_t clock, Rank keeper) {
  if (!told_[keeper].has_room(false)) return false;
  told_[keeper].write({RowRecord::Kind::ask, 0, no_row_, clock});
  return true;
}

Status RowCache::change(std::uint64_t row, const std::byte* values, bool replaces, Rank keeper) {
  const auto found = places_.find(row);
  if (found == places_.end()) return {};
  Entry& entry = *found->second;
  if (entry.is_known) {
    std::byte* const known = known_.find(row);
    if (replaces)
      RowValues::copy(values, known, values_.bytes());
    else if (Status status = values_.combine(known, values); !status.ok())
      return status;
  }
  entry.told = told_[keeper].written() + 1;
  return {};
}

void RowCache::shrink() {
  for (auto at = entries_.end(); entries_.size() > most_ && at != entries_.begin();) {
    --at;
    if (at->is_asked) continue;
    known_.erase(at->row);
    places_.erase(at->row);
    at = entries_.erase(at);
  }
}

}  // namespace polder::coll
