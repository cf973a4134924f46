#include "coll/rows/row_part.hpp"

#include "util/assert.hpp"

#include <algorithm>
#include <utility>

namespace polder::coll {
namespace {

std::vector<RowPipe> row_pipes(WindowPort& window, const RowLayout& layout, RowPipeKind kind) {
  std::vector<RowPipe> pipes;
  for (Rank peer = 0; peer < window.size(); ++peer) pipes.emplace_back(window, layout, kind, peer);
  return pipes;
}

}  // namespace

RowPart::RowPart(WindowPort& window, const StaleTableSpec& spec, const RowLayout& layout)
    : window_(window),
      spec_(spec),
      told_(row_pipes(window, layout, RowPipeKind::told)),
      answers_(row_pipes(window, layout, RowPipeKind::answers)),
      keeper_(spec, layout, window.me(), told_, answers_),
      cache_(spec, layout, told_, answers_),
      values_(spec),
      news_(window, layout.news(), "stale table"),
      changes_(spec),
      joined_(layout.row_bytes()) {}

std::uint64_t RowPart::bytes() const {
  std::uint64_t bytes = 0;
  for (const RowPipe& pipe : told_) bytes += pipe.bytes();
  for (const RowPipe& pipe : answers_) bytes += pipe.bytes();
  return bytes;
}

// ---- at any time ----

bool RowPart::work() {
  if (!news_.has_failed() && settle(keeper_.serve())) settle(cache_.hear());
  bool is_done = news_.tell();
  for (RowPipe& pipe : told_) is_done = pipe.push() && is_done;
  for (RowPipe& pipe : answers_) is_done = pipe.push() && is_done;
  return is_done;
}

// Whether it is done; false: it has failed, or gave up for now.
bool RowPart::settle(Status status) {
  if (status.ok()) return true;
  if (!status.timed_out()) news_.fail(std::move(status));
  return false;
}

std::optional<StaleNews::Trouble> RowPart::trouble(std::uint64_t wanted) const {
  if (const auto trouble = news_.trouble_of_others()) return trouble;
  if (wanted != 0)
    if (const auto trouble = news_.trouble_of_ends(wanted, 0)) return trouble;
  for (Rank member = 0; member < window_.size(); ++member)
    if (member != me() && news_.has_gone(member))
      return StaleNews::Trouble{StaleNews::Why::left, member, Code::peer_failed};
  return {};
}

void RowPart::fail(const StaleNews::Trouble& trouble) {
  if (news_.has_failed()) return;
  news_.fail(trouble, clock_);
  work();
}

// ---- reading ----

std::uint64_t RowPart::wanted(std::uint64_t slack) const {
  return std::max(flushed_, clock_ > slack ? clock_ - slack : 0);
}

bool RowPart::is_fresh(std::uint64_t row, std::uint64_t wanted) {
  return keeper(row) == me() ? keeper_.oldest() >= wanted : cache_.fresh(row, wanted) != nullptr;
}

void RowPart::ask(std::span<const std::uint64_t> rows, std::uint64_t wanted) {
  for (const std::uint64_t row : rows)
    if (keeper(row) != me() && !is_fresh(row, wanted) && !cache_.ask(row, wanted, keeper(row))) break;
  for (RowPipe& pipe : told_) {
    pipe.close();
    pipe.push();
  }
}

Status RowPart::read(std::span<const std::uint64_t> rows, std::byte* into, Staleness& told) {
  told.clock = told.oldest = told.newest = clock_;
  told.slowest = me();
  for (const std::uint64_t row : rows) {
    const bool is_own = keeper(row) == me();
    const RowCache::Entry* const entry = is_own ? nullptr : cache_.fresh(row, 0);
    POLDER_ASSERT(is_own || entry != nullptr);
    const std::uint64_t oldest = is_own ? keeper_.oldest() : entry->oldest;
    if (oldest < told.oldest) told.oldest = oldest, told.slowest = is_own ? keeper_.slowest() : entry->slowest;
    told.newest = std::max(told.newest, is_own ? keeper_.newest() : entry->newest);
    const std::byte* values = is_own ? keeper_.find(row) : cache_.values(row);
    if (Status status = join(row, values); !status.ok()) return status;
    values_.to_user(values, into);
    into += values_.user_bytes();
  }
  cache_.shrink();
  return {};
}

// `values`, or where there are none the beginning of the row, with what this member has done to it since its last tick.
Status RowPart::join(std::uint64_t row, const std::byte*& values) {
  const std::byte* const change = changes_.find(row);
  if (change != nullptr && changes_.replaces(row)) {
    values = change;
    return {};
  }
  if (change == nullptr && values != nullptr) return {};
  if (values == nullptr)
    values_.begin(row, joined_.data());
  else
    RowValues::copy(values, joined_.data(), values_.bytes());
  values = joined_.data();
  return change == nullptr ? Status() : values_.combine(joined_.data(), change);
}

// ---- writing ----

bool RowPart::send(std::uint64_t row) {
  const std::byte* const values = changes_.find(row);
  const bool replaces = changes_.replaces(row);
  if (keeper(row) == me()) return settle(keeper_.change(row, values, replaces, clock_ + 1));
  RowPipe& pipe = told_[keeper(row)];
  if (!pipe.has_room(true) || !settle(cache_.change(row, values, replaces, keeper(row)))) return false;
  const auto kind = replaces ? RowRecord::Kind::write : RowRecord::Kind::update;
  pipe.write({kind, 0, row, clock_ + 1}, values);
  return true;
}

bool RowPart::tick() {
  if (!is_ticking_) {
    is_ticking_ = true;
    leaving_ = changes_.rows();
    left_ = told_tick_ = asked_ = 0;
  }
  work();
  while (!news_.has_failed() && left_ < leaving_.size() && send(leaving_[left_])) ++left_;
  if (news_.has_failed()) return true;
  if (left_ < leaving_.size()) return false;
  for (; told_tick_ < window_.size(); ++told_tick_) {
    if (told_tick_ == me()) continue;
    if (!told_[told_tick_].has_room(false)) return false;
    told_[told_tick_].write({RowRecord::Kind::tick, 0, 0, clock_ + 1});
    told_[told_tick_].close();
  }
  changes_.clear();
  keeper_.tick(me(), ++clock_);
  is_ticking_ = false;
  work();
  return true;
}

bool RowPart::flush() {
  work();
  for (; asked_ < window_.size() && !news_.has_failed(); ++asked_) {
    if (asked_ == me()) continue;
    if (!cache_.ask_reached(clock_, asked_)) return false;
    told_[asked_].close();
    told_[asked_].push();
  }
  if (news_.has_failed()) return true;
  work();
  for (Rank member = 0; member < window_.size(); ++member)
    if (member == me() ? keeper_.oldest() < clock_ : !cache_.has_reached(clock_, member)) return false;
  flushed_ = clock_;
  return true;
}

}  // namespace polder::coll
