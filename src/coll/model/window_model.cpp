#include "coll/model/window_model.hpp"

#include "util/assert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace polder::coll {
namespace {

// What an event is; the rest of its number is that of a letter, or of a member.
enum EventKind : std::uint32_t { kLetter = 0, kDeath = 1u << 30, kWake = 2u << 30, kHelperWake = 3u << 30 };
constexpr std::uint32_t kEventKind = kHelperWake, kWhose = ~kEventKind;

}  // namespace

WindowModel::WindowModel(Rank members, std::size_t bytes, std::uint32_t flags, WindowModelOptions options)
    : options_(std::move(options)),
      memory_(bytes, members),
      flags_(std::size_t{flags} * sizeof(std::uint32_t), members),
      known_dead_(members) {
  POLDER_ASSERT(members < kDeath && options_.flow.per_node > 0);
  const Interconnect* interconnect = options_.flow.interconnect;
  if (interconnect == nullptr) {
    auto alone = make_interconnect("crossbar", 1);
    POLDER_ASSERT(alone.ok());
    nothing_ = *std::move(alone);
    interconnect = nothing_.get();
  }
  events_ = std::make_unique<LinkTraffic>(*interconnect, options_.flow.hop, options_.flow.network.per_byte);
  if (!status().ok()) return;
  for (Rank member = 0; member < members; ++member)
    windows_.push_back(std::make_unique<ModelWindow>(*this, memory_.of(member), flags_.of(member), member, members));
}

Status WindowModel::status() const {
  const bool has_room = (memory_.bytes == 0 || memory_.base != nullptr) && flags_.base != nullptr;
  if (has_room) return {};
  return {Code::system, "this process may not reserve the " + std::to_string(memory_.bytes + flags_.bytes) +
                            " bytes of address space that windows of all members take"};
}

WindowPort& WindowModel::window(Rank member) {
  return *windows_[member];
}

double WindowModel::clock(Rank member) const {
  return windows_[member]->core();
}

void WindowModel::compute(Rank member, double us) {
  double& core = windows_[member]->core();
  core = std::max(core, now_) + us;
}

double WindowModel::left(Rank member) const {
  return windows_[member]->clocks[0];
}

bool WindowModel::is_over(Rank member) const {
  return windows_[member]->is_over;
}

bool WindowModel::beside(Rank one, Rank two) const {
  return options_.flow.interconnect != nullptr && node_of(one) == node_of(two);
}

const LogGP& WindowModel::network(Rank one, Rank two) const {
  return beside(one, two) ? options_.flow.inside : options_.flow.network;
}

bool WindowModel::is_dead(Rank member, double time) const {
  return time >= windows_[member]->dies;
}

FlowOutcome WindowModel::run(const Go& go, const Background& background) {
  outcome_ = {};
  for (const auto& each : windows_) {
    wake_at(each->me(), false, each->begin);
    if (each->dies != ModelWindow::kNever) events_->deliver(kDeath | each->me(), each->dies + options_.heard);
  }
  for (LinkTraffic::Arrival next{}; events_->next(next);) {
    now_ = next.time;
    const std::uint32_t whose = next.letter & kWhose;
    switch (next.letter & kEventKind) {
      case kLetter: arrive(whose, now_); break;
      case kDeath: hear_of(whose, now_); break;
      case kWake: go_on(whose, false, go, background); break;
      default: go_on(whose, true, go, background); break;
    }
  }
  for (const auto& each : windows_) {
    outcome_.rounds = std::max(outcome_.rounds, each->depth);
    if (each->is_over) {
      if (each->clocks[0] > outcome_.time) outcome_.time = each->clocks[0], outcome_.last = each->me();
    } else {
      ++(each->dies != ModelWindow::kNever ? outcome_.dead : outcome_.hanging);
    }
  }
  outcome_.waited = events_->waited();
  outcome_.memory = memory_.bytes + flags_.bytes;
  return outcome_;
}

// ---- members ----

void WindowModel::wake_at(Rank member, bool helper, double time) {
  double& wakes = windows_[member]->wakes[helper];
  if (time >= wakes) return;
  wakes = time;
  events_->deliver((helper ? kHelperWake : kWake) | member, time);
}

// A look at what has come takes the overhead, and what comes meanwhile is seen by the same one.
void WindowModel::notify(Rank member, std::uint32_t depth, double time) {
  ModelWindow& window = *windows_[member];
  window.came_depth = std::max(window.came_depth, depth);
  const bool helper = !window.waits;
  const double looks = std::max(time, window.clocks[helper]);
  if (looks < window.wakes[helper])
    wake_at(member, helper, looks + options_.flow.network.overhead + window.disturbance());
}

void WindowModel::go_on(Rank member, bool helper, const Go& go, const Background& background) {
  ModelWindow& window = *windows_[member];
  if (window.wakes[helper] != now_) return;  // an earlier one has taken its place
  window.wakes[helper] = ModelWindow::kNever;
  if (is_dead(member, now_) || (helper && !background)) return;
  window.clocks[helper] = std::max(window.clocks[helper], now_);
  window.is_helper = helper;
  window.is_refused = false;
  window.depth = std::max(window.depth, window.came_depth);
  Next next{Next::waits};
  if (helper)
    background(member);
  else
    next = go(member);
  window.is_helper = false;
  if (!helper) {
    window.waits = next.kind == Next::waits;
    window.is_over = next.kind == Next::over;
    if (!window.waits) window.wakes[0] = ModelWindow::kNever;  // of what it has sent itself
  }
  // What a member that does something else could not post is left to its helper.
  if (window.is_refused) wake_at(member, helper || next.kind != Next::waits, window.clocks[helper]);
  if (helper) return;
  if (next.until != ModelWindow::kNever) wake_at(member, false, std::max(next.until, window.clocks[0]));
}

void WindowModel::hear_of(Rank dead, double time) {
  if (is_over(dead) && windows_[dead]->clocks[0] <= windows_[dead]->dies) return;
  known_dead_[dead] = any_dead_ = true;
  for (const auto& each : windows_)
    if (each->me() != dead) notify(each->me(), 0, time);
}

// ---- letters ----

void WindowModel::send(const Letter& letter, double leaves) {
  const LogGP& via = network(letter.from, letter.to);
  const bool is_request = letter.kind == Letter::get || letter.kind == Letter::swap;
  const double length = is_request ? 0 : letter.length;
  ++outcome_.letters;
  outcome_.bytes += std::uint64_t(std::llround(length));
  const Rank from = letter.from, to = letter.to;
  const std::uint32_t at = keep(letter);
  if (options_.flow.interconnect == nullptr || beside(from, to))
    events_->deliver(at, leaves + via.latency + length * via.per_byte);
  else
    events_->carry(at, node_of(from), node_of(to), std::size_t(std::llround(length)), leaves + via.latency);
}

std::uint32_t WindowModel::keep(const Letter& letter) {
  if (free_.empty()) {
    POLDER_ASSERT(letters_.size() < kDeath);
    letters_.push_back(letter);
    return std::uint32_t(letters_.size() - 1);
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  letters_[at] = letter;
  return at;
}

void WindowModel::arrive(std::uint32_t at, double time) {
  Letter& letter = letters_[at];
  const bool is_request = letter.kind == Letter::get || letter.kind == Letter::swap;
  if (!letter.is_settled && !is_request && letter.kind != Letter::lost) {
    letter.is_settled = true;
    const double in = windows_[letter.to]->comes_in(time, letter.length * network(letter.from, letter.to).per_byte);
    if (in > time + 1e-9 * time) return events_->deliver(at, in);
  }
  const Letter come = letter;
  free_.push_back(at);
  switch (come.kind) {
    case Letter::put: return take_put(come, time);
    case Letter::get:
    case Letter::swap: return is_dead(come.to, time) ? lose(come, time) : answer(come, time);
    case Letter::got:
    case Letter::swapped:
    case Letter::lost: return take_answer(come, time);
  }
}

void WindowModel::carry_home(const Letter& letter) {
  if (letter.kind == Letter::put)
    take_put(letter, now_);
  else
    answer(letter, now_);
}

void WindowModel::take_put(const Letter& letter, double time) {
  windows_[letter.from]->has_arrived(letter.stream);
  if (!is_dead(letter.to, time)) {
    if (letter.bytes != 0) std::memcpy(memory_.of(letter.to) + letter.offset, letter.data, letter.bytes);
    if (letter.value != 0) windows_[letter.to]->raise_here(letter.flag, letter.value);
    notify(letter.to, letter.depth, time);
  }
  if (windows_[letter.from]->waits_for_puts()) notify(letter.from, 0, time + network(letter.from, letter.to).latency);
}

// The card of the target does it.
void WindowModel::answer(Letter letter, double time) {
  std::byte* const place = memory_.of(letter.to) + letter.offset;
  if (letter.kind == Letter::get) {
    if (letter.bytes != 0) std::memcpy(letter.into, place, letter.bytes);
    letter.kind = Letter::got;
  } else {
    std::uint64_t old = 0;
    std::memcpy(&old, place, sizeof old);
    if (old == letter.expected) std::memcpy(place, &letter.desired, sizeof old);
    letter.desired = old;
    letter.kind = Letter::swapped;
  }
  if (letter.from == letter.to) return take_answer(letter, time);
  std::swap(letter.from, letter.to);
  ++letter.depth;
  const LogGP& via = network(letter.from, letter.to);
  send(letter, windows_[letter.from]->goes_out(time, letter.length * via.per_byte));
}

void WindowModel::take_answer(const Letter& letter, double time) {
  ModelWindow& window = *windows_[letter.to];
  window.has_been_read(letter);
  if (letter.kind == Letter::swapped) std::memcpy(letter.into, &letter.desired, sizeof letter.desired);
  if (letter.from != letter.to) notify(letter.to, letter.depth, time);
}

// Who reads of a dead member hears of that when all do.
void WindowModel::lose(Letter letter, double time) {
  letter.kind = Letter::lost;
  std::swap(letter.from, letter.to);
  letter.length = 0;
  const std::uint32_t at = keep(letter);
  events_->deliver(at, std::max(time, windows_[letter.from]->dies + options_.heard));
}

}  // namespace polder::coll
