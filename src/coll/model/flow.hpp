// Collectives in virtual time, of any number of members in one thread: the algorithms that programs run, over a Wire
// whose letters take as long as a model says: LogGP, or an interconnect whose links they share.
//
// A task names the slot that it takes its next letter from, so the members are a Kahn network: what each receives, and
// when, does not depend on the order in which they are run. Therefore LogGP needs no heap of
// events: arrival times are computed when a letter is sent, and whoever was waiting for it goes on next. Over an interconnect
// letters come in the order of time, because who waits for a link depends on it. Rooms are unbounded.
#pragma once

#include "coll/model/interconnect.hpp"
#include "coll/model/link_traffic.hpp"
#include "coll/model/loggp.hpp"
#include "coll/model/phantom.hpp"
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

// What cores lose to others: with this probability, for each letter that a member sends or takes, an exponential time.
struct Noise {
  double probability = 0;
  double mean = 0;  // us
  std::uint64_t seed = 1;
};

struct FlowOptions {
  LogGP network = {};
  bool payload = true;                      // false: letters have a length and no content
  Rank near = Slots::kNear;                 // distances with a slot of their own
  std::function<double(Rank)> begins = {};  // when a member enters, us; null: all at 0

  // Not null: between nodes of `per_node` consecutive members, letters go over its links, `hop` us for each. It must
  // outlive the FlowModel. REQUIRES: it has that many nodes.
  const Interconnect* interconnect = nullptr;
  double hop = 0;
  Rank per_node = 1;
  LogGP inside = {.latency = 0.15, .overhead = 0.1, .per_byte = 1e-4};  // between members of a node

  Noise noise = {};
  std::function<double(Rank)> dies = {};  // when a member stops for ever, us; null: nobody does
};

struct FlowOutcome {
  double time = 0;  // us from 0 until the last member has left
  Rank last = 0;    // that member
  std::uint64_t letters = 0;
  std::uint64_t bytes = 0;
  std::uint32_t rounds = 0;  // letters of the longest chain in which each was sent after the one before had been taken
  std::size_t memory = 0;    // bytes of frames, wires and letters at their most
  double waited = 0;         // us that letters waited for links, all together
  Rank dead = 0, hanging = 0;  // members that stopped; that wait for ever for letters of those, or of one another
};

class FlowModel {
 public:
  explicit FlowModel(Rank members, FlowOptions options = {});
  ~FlowModel();

  // Runs begin(wire) as every member to its end; may be repeated, each time from time 0. invalid_argument: some member
  // waits for a letter that nobody sends though nobody has died, or one of a wrong length came.
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
    Rank to = 0;
    std::uint32_t depth = 0;     // letters in a chain that ends with it
    std::uint32_t next = kNone;  // in an inbox, or among those that are free
  };

  std::uint32_t node_of(Rank member) const { return member / options_.per_node; }
  bool beside(Rank one, Rank two) const { return options_.interconnect != nullptr && node_of(one) == node_of(two); }
  const LogGP& network(Rank one, Rank two) const { return beside(one, two) ? options_.inside : options_.network; }
  void send(Rank from, double leaves, Letter letter);
  void arrive(std::uint32_t letter);
  void count_those_left_behind();
  std::uint32_t keep(Letter letter);
  void drive();
  Status stuck() const;
  void fail(Status status);

  const FlowOptions options_;
  Frames frames_;
  std::unique_ptr<LinkTraffic> traffic_;  // over an interconnect
  std::unique_ptr<Phantom> phantom_;      // without payload
  std::vector<std::unique_ptr<FlowWire>> wires_;
  std::vector<Letter> letters_;
  std::uint32_t free_ = kNone;
  std::vector<Rank> runnable_;
  FlowOutcome outcome_;
  Status failure_;
};

}  // namespace polder::coll
