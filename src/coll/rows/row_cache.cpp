#include "coll/rows/row_cache.hpp"

#include "util/assert.hpp"

#include <iterator>

namespace polder::coll {

void RowCache::hear() {
  for (RowPipe& pipe : answers_) {
    while (const RowRecord* const record = pipe.next()) {
      if (record->row == no_row_)
        reached_[pipe.peer()] = record->clock;
      else
        hear_of(*record);
      pipe.take();
    }
  }
}

void RowCache::hear_of(const RowRecord& record) {
  Entry& entry = *places_.at(record.row);
  POLDER_ASSERT(entry.is_asked);
  entry.is_asked = false;
  // Written before the keeper heard what this member has done to the row since it asked: whoever needs it asks again.
  if (record.heard < entry.told) return;
  std::byte* here = known_.find(record.row);
  if (here == nullptr) here = known_.add(record.row);
  if (record.has_values())
    RowValues::copy(RowPipe::values(record), here, values_.bytes());
  else
    values_.begin(record.row, here);
  entry = {record.row, record.clock, record.newest, record.slowest, true, false, entry.told};
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
