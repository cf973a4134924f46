// Collectives in virtual time, of any number of members in one thread: the algorithms that programs run, over a Wire
// whose letters take as long as the LogGP model says.
//
// A task names the slot that it takes its next letter from, so the members are a Kahn network: what each receives, and
// when, does not depend on the order in which they are run. Therefore there is no heap of events: arrival times are
// computed when a letter is sent, and whoever was waiting for it goes on next. Rooms are unbounded.
#pragma once

#include "coll/model/loggp.hpp"
#include "coll/port/wire.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace polder::coll {

class FlowWire;

struct FlowOptions {
  LogGP network;
  bool payload = true;                 // false: letters have a length and no content
  Rank near = Slots::kNear;            // distances with a slot of their own
  std::function<double(Rank)> begins;  // when a member enters, us; null: all at 0
};

struct FlowOutcome {
  double time = 0;  // us from 0 until the last member has left
  Rank last = 0;    // that member
  std::uint64_t letters = 0;
  std::uint64_t bytes = 0;
  std::size_t memory = 0;  // bytes of frames, wires and letters at their most
};

class Flow {
 public:
  explicit Flow(Rank members, FlowOptions options = {});
  ~Flow();

  // Runs begin(wire) as every member to its end; may be repeated, each time from time 0. invalid_argument: some member
  // waits for a letter that nobody sends, or one of a wrong length came.
  Result<FlowOutcome> run(const std::function<Task(Wire&)>& begin);

  // When `member` left the last run, us.
  double left(Rank member) const;

 private:
  friend class FlowWire;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Letter {
    double arrives = 0;
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> content;
    Slot slot = 0;
    std::uint32_t next = kNone;  // in an inbox, or among those that are free
  };

  void send(Rank to, Letter letter);
  std::uint32_t keep(Letter letter);
  void drive();
  Status stuck() const;
  void fail(Status status);

  const FlowOptions options_;
  Frames frames_;
  std::vector<std::unique_ptr<FlowWire>> wires_;
  std::vector<Letter> letters_;
  std::uint32_t free_ = kNone;
  std::vector<Rank> runnable_;
  FlowOutcome outcome_;
  Status failure_;
};

}  // namespace polder::coll
