#include "coll/rows/row_keeper.hpp"

#include <algorithm>

namespace polder::coll {

Status RowKeeper::serve() {
  for (RowPipe& pipe : told_) {
    if (pipe.peer() == me_) continue;
    while (const RowRecord* const record = pipe.next()) {
      if (Status status = hear(*record, pipe); !status.ok()) return status;
      pipe.take();
    }
    if (pipe.is_damaged()) return pipe.refused();
  }
  answer();
  return {};
}

Status RowKeeper::hear(const RowRecord& record, const RowPipe& pipe) {
  const Rank member = pipe.peer();
  if (record.row > rows_in_table_ || (record.row == rows_in_table_ && record.has_values())) return pipe.refused();
  switch (record.kind) {
    case RowRecord::Kind::update:
    case RowRecord::Kind::write:
      return change(record.row, RowPipe::values(record), record.kind == RowRecord::Kind::write, record.clock);
    case RowRecord::Kind::tick: tick(member, record.clock); break;
    case RowRecord::Kind::ask:
      if (record.clock <= least_)
        due_.push_back({member, record.row, record.clock});
      else
        early_.push_back({member, record.row, record.clock});
      break;
    default: return pipe.refused();
  }
  return {};
}

Status RowKeeper::change(std::uint64_t row, const std::byte* values, bool replaces, std::uint64_t iteration) {
  std::byte* here = rows_.find(row);
  if (here == nullptr) values_.begin(row, here = rows_.add(row));
  if (replaces)
    RowValues::copy(values, here, values_.bytes());
  else if (Status status = values_.combine(here, values); !status.ok())
    return status;
  greatest_ = std::max(greatest_, iteration);
  return {};
}

void RowKeeper::tick(Rank member, std::uint64_t clock) {
  const std::uint64_t before = clocks_[member];
  clocks_[member] = clock;
  greatest_ = std::max(greatest_, clock);
  if (before != least_) return;
  const auto slowest = std::ranges::min_element(clocks_);
  slowest_ = Rank(slowest - clocks_.begin());
  if (*slowest == least_) return;
  least_ = *slowest;
  const auto reached =
      std::stable_partition(early_.begin(), early_.end(), [&](const Ask& ask) { return ask.clock > least_; });
  due_.insert(due_.end(), reached, early_.end());
  early_.erase(reached, early_.end());
}

void RowKeeper::answer() {
  std::size_t left = due_.size();
  for (; left != 0; --left) {
    const Ask ask = due_.front();
    RowPipe& pipe = answers_[ask.member];
    const std::byte* const values = rows_.find(ask.row);
    due_.pop_front();
    if (!pipe.has_room(values != nullptr)) {
      due_.push_back(ask);
      continue;
    }
    const auto kind = values != nullptr ? RowRecord::Kind::row : RowRecord::Kind::initial;
    pipe.write({kind, slowest_, ask.row, least_, greatest_, told_[ask.member].taken()}, values);
  }
  for (RowPipe& pipe : answers_) pipe.close();
}

}  // namespace polder::coll
