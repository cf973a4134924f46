// The window of one member in virtual time, and what it posts: what WindowModel (window_model.hpp) carries.
#pragma once

#include "coll/model/flow.hpp"
#include "coll/model/incoming.hpp"
#include "coll/port/window.hpp"
#include "util/assert.hpp"
#include "util/platform.hpp"
#include "util/random.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace polder::coll {

struct WindowModelOptions {
  FlowOptions flow = {};  // without `payload` and `near`
  double heard = 100;     // us from a death until all know of it
  // A member posts what it posts in one go, one behind the other, and looks at nothing else until that is done. False: it
  // is refused while its core is busy, and looks again before it posts more.
  bool posts_ahead = false;
  // Bytes that a put to, or a get from, this place of a window takes on the network; null: as many as it has. For
  // elements that stand for several.
  std::function<double(std::uint64_t offset, std::size_t bytes)> length = {};
};

// What a member has posted, on its way.
struct WindowLetter {
  enum Kind : std::uint8_t { put, get, swap, got, swapped, lost };
  Kind kind = put;
  bool is_settled = false;  // its bytes have had their turn at the target
  Rank from = 0, to = 0;
  unsigned stream = 0;
  std::uint32_t depth = 0;  // letters in a chain that ends with it
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  double length = 0;                // on the network
  const std::byte* data = nullptr;  // of a put
  void* into = nullptr;             // of what is read, or the old value
  const Handle* handle = nullptr;   // with which it was posted
  NotificationId flag = 0;
  std::uint32_t value = 0;  // 0: no flag
  std::uint64_t expected = 0, desired = 0;
};

// Address space for windows of all members: what nobody touches takes no memory.
struct ReservedWindows {
  ReservedWindows(std::size_t each_bytes, Rank members) : each(util::round_up(each_bytes, 64)), bytes(each * members) {
    if (bytes == 0) return;
    void* const place =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) base = static_cast<std::byte*>(place);
  }
  ~ReservedWindows() {
    if (base != nullptr) munmap(base, bytes);
  }
  ReservedWindows(const ReservedWindows&) = delete;
  ReservedWindows& operator=(const ReservedWindows&) = delete;

  std::byte* of(Rank member) const { return base + each * member; }

  const std::size_t each, bytes;
  std::byte* base = nullptr;
};

// What windows are written over.
class WindowCarrier {
 public:
  virtual const WindowModelOptions& options() const = 0;
  virtual double now() const = 0;  // us
  virtual const LogGP& network(Rank one, Rank two) const = 0;
  virtual bool is_known_dead(Rank member) const = 0;
  virtual bool any_has_died() const = 0;
  virtual void send(const WindowLetter& letter, double leaves) = 0;
  // To the member itself: no time.
  virtual void carry_home(const WindowLetter& letter) = 0;

 protected:
  ~WindowCarrier() = default;
};

class ModelWindow final : public WindowPort, public util::VirtualTime {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  ModelWindow(WindowCarrier& carrier, std::byte* memory, std::byte* flags, Rank me, Rank members)
      : WindowPort(me, members), carrier_(carrier), flags_(reinterpret_cast<std::atomic<std::uint32_t>*>(flags)) {
    show(memory, flags_);
    begin = carrier.options().flow.begins ? carrier.options().flow.begins(me) : 0;
    dies = carrier.options().flow.dies ? carrier.options().flow.dies(me) : kNever;
    clocks[0] = clocks[1] = begin;
  }

  bool is_quiet(NotificationId first) const override { return highest_ <= first && !carrier_.any_has_died(); }
  Rank rank_of(Rank member) const override { return member; }
  bool is_gone(Rank member) const override { return member != me() && carrier_.is_known_dead(member); }
  bool has_died(Rank member) const override { return is_gone(member); }
  void use_stream(unsigned stream) override {
    if (stream >= under_way_.size()) under_way_.resize(stream + 1);
    stream_ = stream;
  }
  bool is_drained() const override {
    asked_for_puts_ = under_way_[stream_] != 0;
    return !asked_for_puts_;
  }
  Status trouble() const override { return {}; }
  util::Clock clock() const override { return util::Clock(const_cast<ModelWindow&>(*this)); }

  bool put(Rank member, std::uint64_t offset, const void* data, std::size_t bytes, const Notification& flag) override {
    WindowLetter letter = letter_to(member, WindowLetter::put, offset, bytes);
    letter.data = static_cast<const std::byte*>(data);
    letter.flag = flag.id, letter.value = flag.value;
    return post(letter);
  }
  bool raise(Rank member, NotificationId flag, std::uint32_t value) override {
    WindowLetter letter = letter_to(member, WindowLetter::put, 0, 0);
    letter.flag = flag, letter.value = value;
    return post(letter);
  }
  bool get(void* into, Rank member, std::uint64_t offset, std::size_t bytes, Handle& handle) override {
    WindowLetter letter = letter_to(member, WindowLetter::get, offset, bytes);
    letter.into = into, letter.handle = &handle;
    return post(letter);
  }
  bool compare_swap(std::uint64_t& old, Rank member, std::uint64_t offset, std::uint64_t expected,
                    std::uint64_t desired, Handle& handle) override {
    WindowLetter letter = letter_to(member, WindowLetter::swap, offset, sizeof old);
    letter.into = &old, letter.handle = &handle;
    letter.expected = expected, letter.desired = desired;
    return post(letter);
  }
  // Handles are told apart by where they are.
  Fetched look_at(Handle& handle, Rank /*member*/) override {
    Reading& of = reading_with(&handle);
    if (of.under_way != 0) return Fetched::under_way;
    return std::exchange(of.has_lost, false) ? Fetched::failed : Fetched::yes;
  }
  void has_been_read(const WindowLetter& letter) {
    Reading& of = reading_with(letter.handle);
    --of.under_way;
    if (letter.kind == WindowLetter::lost) of.has_lost = true;
  }

  // Time of the core that runs it now.
  std::int64_t now_ns() const override { return std::llround(core() * 1e3); }
  std::uint64_t draw() override { return util::mix(carrier_.options().flow.noise.seed ^ util::mix(me())); }
  std::shared_ptr<Task> start(std::string, std::function<void()>) override {
    POLDER_ASSERT(false);
    return {};
  }
  void join(Task&) override {}

  void raise_here(NotificationId flag, std::uint32_t value) {
    flags_[flag].store(value, std::memory_order_release);
    highest_ = std::max(highest_, std::uint32_t(flag) + 1);
  }
  void has_arrived(unsigned stream) { --under_way_[stream]; }
  bool waits_for_puts() const { return asked_for_puts_ && waits; }

  double& core() { return clocks[is_helper]; }
  double core() const { return clocks[is_helper]; }

  double comes_in(double time, double transfer) { return incoming_.comes_in(time, transfer); }
  // When bytes that are to leave at `time` begin to.
  double goes_out(double time, double occupies) {
    const double leaves = std::max(time, card_out_);
    card_out_ = leaves + occupies;
    return leaves;
  }
  double disturbance() {
    const Noise& noise = carrier_.options().flow.noise;
    if (noise.probability == 0) return 0;
    util::Random random(util::mix(noise.seed ^ util::mix(me())) + ++disturbances_);
    return random.unit() < noise.probability ? -noise.mean * std::log1p(-random.unit()) : 0;
  }

  double begin = 0, dies = kNever;
  double clocks[2] = {};               // of its own core and of its helper's: busy until then
  double wakes[2] = {kNever, kNever};  // when they go on
  bool is_helper = false;              // the one that runs
  bool is_refused = false;
  bool waits = true, is_over = false;
  std::uint32_t depth = 0, came_depth = 0;  // letters of the longest chain: seen, and come

 private:
  struct Reading {
    const Handle* handle = nullptr;
    unsigned under_way = 0;
    bool has_lost = false;
  };
  Reading& reading_with(const Handle* handle) {
    for (Reading& each : readings_)
      if (each.handle == handle) return each;
    return readings_.emplace_back(Reading{.handle = handle});
  }

  WindowLetter letter_to(Rank member, WindowLetter::Kind kind, std::uint64_t offset, std::size_t bytes) {
    WindowLetter letter;
    letter.kind = kind;
    letter.from = me(), letter.to = member;
    letter.stream = stream_;
    letter.offset = offset;
    letter.bytes = bytes;
    letter.length = carrier_.options().length && bytes != 0 ? carrier_.options().length(offset, bytes) : double(bytes);
    return letter;
  }

  bool post(WindowLetter& letter) {
    if (is_gone(letter.to)) return true;
    if (core() > carrier_.now() && !carrier_.options().posts_ahead) {
      is_refused = true;
      return false;
    }
    const bool reads = letter.kind != WindowLetter::put;
    letter.depth = depth + 1;
    if (letter.to == me()) {
      if (reads)
        ++reading_with(letter.handle).under_way;
      else
        ++under_way_[stream_];
      carrier_.carry_home(letter);
      return true;
    }
    const LogGP& network = carrier_.network(me(), letter.to);
    core() = std::max(core(), carrier_.now()) + network.overhead + disturbance();
    const double out = reads ? 0 : letter.length;
    const double leaves = goes_out(core(), std::max(network.gap, out * network.per_byte));
    if (leaves >= dies) return false;
    if (reads)
      ++reading_with(letter.handle).under_way;
    else
      ++under_way_[stream_];
    carrier_.send(letter, leaves);
    return true;
  }

  WindowCarrier& carrier_;
  std::atomic<std::uint32_t>* const flags_;
  unsigned stream_ = 0;
  mutable bool asked_for_puts_ = false;                                   // in its last look
  std::vector<std::uint32_t> under_way_ = std::vector<std::uint32_t>(1);  // puts, by stream
  std::uint32_t highest_ = 0;                                             // flag that was ever raised, and one more
  double card_out_ = 0;
  Incoming incoming_;
  std::vector<Reading> readings_;  // a few
  std::uint64_t disturbances_ = 0;
};

}  // namespace polder::coll
