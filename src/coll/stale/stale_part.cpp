#include "coll/stale/stale_part.hpp"

#include "util/assert.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace polder::coll {
namespace {

std::vector<StaleLink> links_of(WindowPort& window, const StaleSpec& spec, const StaleLayout& layout) {
  const Rank me = window.me(), members = window.size();
  std::vector<StaleLink> links;
  const auto add = [&](Rank peer, std::uint32_t here, std::uint32_t there) {
    links.emplace_back(window, layout, spec.cells, peer, here, there);
  };
  if (spec.shape == StaleShape::hypercube) {
    const Rank inside = Rank{1} << layout.dimensions();
    for (unsigned k = 0; k < layout.dimensions(); ++k) add(me < inside ? me ^ Rank{1} << k : me, k, k);
    const Rank beyond = me < inside ? me + inside : me - inside;
    add(beyond < members ? beyond : me, layout.dimensions(), layout.dimensions());
    return links;
  }
  for (std::uint32_t base = 0; base < layout.links(); base += members)
    for (Rank peer = 0; peer < members; ++peer) add(peer, base + peer, base + me);
  return links;
}

}  // namespace

StalePart::StalePart(Strand& s, WindowPort& window, const StaleSpec& spec, const StaleLayout& layout)
    : Port(s),
      window_(window),
      spec_(spec),
      layout_(layout),
      links_(links_of(window, spec, layout)),
      own_(spec_.reduction),
      base_(spec_.reduction),
      news_(window, layout.news(), "stale allreduce"),
      sum_(spec_.reduction),
      widened_(spec_.reduction.narrow_size != 0 ? spec_.reduction.count * spec_.reduction.element_size : 0) {
  if (serves()) server_.emplace(spec_.reduction, layout_, me(), size(), links_);
}

void StalePart::place_totals() {
  std::size_t number = 0;
  for (StaleTotal* total : {&own_, &base_, &sum_}) total->lie_in(window_.own() + layout_.totals(number++));
}

const Staleness& StalePart::told() {
  if (meets_) return told_;
  told_.bytes = 0;
  for (const StaleLink& link : links_) told_.bytes += link.bytes();
  told_.bytes -= bytes_before_;
  return told_;
}

void StalePart::begin(const StaleCall& call) {
  POLDER_ASSERT(!has_failed());
  call_ = call;
  has_stored_ = false;
  told_ = {.clock = told_.clock + 1, .slowest = me()};
  told_.oldest = told_.newest = clock();
  const bool met = std::exchange(meets_, would_meet(call));
  was_consistent_ = is_consistent();
  if (meets_) return begin_to_meet();
  if (met) {
    catch_up(clock() - 1);
    meetings_ = 0;
    own_.clear();
  }
  longest_wait_ns_ = 0;
  bytes_before_ = 0;
  for (const StaleLink& link : links_) bytes_before_ += link.bytes();
  own_head_ = {.call = clock(),
               .oldest = clock(),
               .newest = clock(),
               .slack = call.slack,
               .slowest = me(),
               .is_empty = 1,
               .is_whole = is_consistent()};
}

// ---- at any time ----

bool StalePart::work() {
  if (server_ && !has_failed() && !is_meeting_) {
    if (meets_) catch_up(clock());
    (void)settle(server_->serve());
  }
  bool is_done = news_.tell();
  for (StaleLink& link : links_) is_done = link.push() && is_done;
  return is_done;
}

bool StalePart::has_work() const {
  return serves() || std::ranges::any_of(links_, [](const StaleLink& link) { return !link.has_left(); });
}

// Whether it is done, in one way or the other; false: the function gave up for now.
bool StalePart::settle(Status status) {
  if (status.timed_out()) return false;
  if (status.ok() || has_failed()) return true;
  news_.fail(std::move(status));
  return true;
}

// ---- what this member gives ----

bool StalePart::add_given() {
  const ReductionSpec& reduction = spec_.reduction;
  if (call_.mine == nullptr || has_failed()) return true;
  const std::byte* values = call_.mine;
  if (reduction.narrow_size != 0) {
    reduction.widen(call_.mine, widened_.data(), reduction.count);
    values = widened_.data();
  }
  return settle(own_.add(values, StaleSide::after));
}

bool StalePart::add_own() {
  if (!add_given()) return false;
  own_head_.is_empty = own_.is_empty();
  return true;
}

void StalePart::send_sum(StaleLink& link) {
  if (has_failed()) return;
  const std::size_t bytes = sum_.is_empty() ? 0 : layout_.longest();
  head_.is_empty = sum_.is_empty();
  std::memcpy(link.place(), &head_, sizeof head_);
  if (bytes != 0) util::copy(link.place() + sizeof head_, sum_.data(), bytes);
  link.post(sizeof head_ + bytes);
  work();
}

void StalePart::send_slice(Rank keeper) {
  StaleLink& link = links_[keeper];
  const std::size_t element = spec_.reduction.element_size, first = layout_.first_of(keeper);
  const std::size_t bytes = own_.is_empty() ? 0 : (layout_.first_of(keeper + 1) - first) * element;
  std::memcpy(link.place(), &own_head_, sizeof own_head_);
  if (bytes != 0) util::copy(link.place() + sizeof own_head_, own_.data() + first * element, bytes);
  link.post(sizeof own_head_ + bytes);
  work();
}

// ---- what others have given ----

std::uint64_t StalePart::last_to_take() const {
  return is_consistent() ? clock() : std::numeric_limits<std::uint64_t>::max();
}

bool StalePart::is_fresh_now(const StaleLink& link) const {
  const StaleHead& head = link.head();
  if (is_consistent()) return head.is_whole != 0 && head.call == clock();
  return head.oldest >= clock() || clock() - head.oldest <= call_.slack;
}

bool StalePart::is_fresh(StaleLink& link) {
  if (has_failed()) return true;
  const auto look = [&] {
    work();
    for (std::size_t at = serves() ? size() : 0; at < links_.size(); ++at) links_[at].take(last_to_take());
    return is_fresh_now(link);
  };
  const Rank slowest = link.head().slowest;  // as far as it was known while this member waited
  if (look() || has_failed()) {
    end_wait(slowest);
    return true;
  }
  if (wait_began_ns_ == 0) wait_began_ns_ = window_.clock().now_ns();
  // What has come in the meantime may be what a member sent last.
  const auto trouble = trouble_of(link);
  if (!trouble) return false;
  if (!look() && !has_failed()) news_.fail(*trouble, clock());
  end_wait(slowest);
  return true;
}

// A member that has failed takes nothing any more, and what waits for a cell there would wait for ever.
bool StalePart::have_left() {
  if (work() || has_failed()) return true;
  const auto trouble = news_.trouble_of_others();
  if (!trouble) return false;
  if (!work() && !has_failed()) news_.fail(*trouble, clock());
  return true;
}

void StalePart::end_wait(Rank slowest) {
  if (wait_began_ns_ == 0) return;
  const std::int64_t waited = window_.clock().now_ns() - wait_began_ns_;
  if (waited >= longest_wait_ns_) told_.waited_for = slowest;
  longest_wait_ns_ = std::max(waited, longest_wait_ns_);
  wait_began_ns_ = 0;
}

void StalePart::begin_sum() {
  sum_.clear();
  head_ = own_head_;
  head_.is_empty = 1;
}

void StalePart::note_clocks(const StaleHead& head) {
  if (head.oldest < head_.oldest) head_.oldest = head.oldest, head_.slowest = head.slowest;
  head_.newest = std::max(head_.newest, head.newest);
}

bool StalePart::add(const StaleHead& head, const std::byte* values, StaleSide side) {
  if (has_failed()) return true;
  if (head.is_empty == 0 && !settle(sum_.add(values, side))) return false;
  note_clocks(head);
  return true;
}

bool StalePart::add_slice(Rank keeper) {
  if (has_failed()) return true;
  const StaleLink& link = links_[size() + keeper];
  const StaleHead& head = link.head();
  const std::size_t first = layout_.first_of(keeper), count = layout_.first_of(keeper + 1) - first;
  const bool has_others = head.is_empty == 0;
  // A whole answer has this member's part as well.
  const bool has_own = !is_consistent() && !own_.is_empty();
  if (has_own) sum_.set(own_.data() + first * spec_.reduction.element_size, first, count);
  if (has_others && has_own) {
    if (!settle(sum_.add(link.values(), first, count, StaleSide::before))) return false;
  } else if (has_others) {
    sum_.set(link.values(), first, count);
  }
  note_clocks(head);
  return true;
}

bool StalePart::finish() {
  if (has_failed()) return true;
  if (!base_.is_empty() && !settle(sum_.add(base_.data(), StaleSide::before))) return false;
  if (has_failed()) return true;
  told_.oldest = head_.oldest;
  told_.newest = head_.newest;
  told_.slowest = head_.slowest;
  return true;
}

void StalePart::store() {
  if (!has_failed()) store(sum_);
}

void StalePart::store(const StaleTotal& total) {
  const ReductionSpec& reduction = spec_.reduction;
  has_stored_ = true;
  if (total.is_empty()) return;
  if (reduction.narrow_size != 0)
    reduction.narrow(total.data(), call_.sum, reduction.count);
  else if (reduction.count != 0)
    util::copy(call_.sum, total.data(), reduction.count * reduction.element_size);
}

void StalePart::begin_anew() {
  if (has_failed()) return;
  base_.swap(sum_);
  own_.clear();
  for (std::size_t at = serves() ? size() : 0; at < links_.size(); ++at)
    if (links_[at].head().call == clock()) links_[at].begin_anew(clock());
}

}  // namespace polder::coll
