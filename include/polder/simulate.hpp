// Ranks as threads, or fibres, of one process: for tests, for teaching, and for finding out what a program does when
// the network is slow, out of order or broken. The same Runtime, a different device.
#pragma once

#include <polder/export.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace polder {

enum class SimulatedDevice : std::uint8_t {
  direct,    // loads and stores, like shared memory
  network,   // puts, gets, atomics and messages travel through a simulated fabric
  messages,  // nothing but messages: all one-sided operations are emulated
  shm,       // the real shared-memory device, between threads
};

// What goes wrong in a deterministic simulation: which ranks and links, and when, is drawn from its seed.
struct SimulatedFaults {
  Rank kills = 0;                      // ranks that are killed, at most one less than there are
  Rank cuts = 0;                       // ways from one rank to another that are cut; network and messages only
  std::int64_t within_ns = 1'000'000;  // of virtual time since run() began: each happens somewhere in it
  std::int64_t heal_after_ns = 0;      // 0: a cut is for good
};

struct SimulationOptions {
  SimulatedDevice device = SimulatedDevice::network;
  std::uint64_t seed = 1;         // the same seed draws the same delays and reorderings
  std::int64_t min_delay_ns = 0;  // of an operation through the fabric
  std::int64_t max_delay_ns = 0;
  std::int64_t detection_ns = 20'000'000;  // until a dead or cut-off peer is noticed
  // Not 0: nodes of as many ranks each, the last one maybe of fewer. Ranks of a node load and store each other's
  // memory, and `device`, network or messages, is between nodes.
  Rank ranks_per_node = 0;
  bool scattered = false;  // ranks are dealt to nodes in turn, as cards are; else each node holds consecutive ones
  RuntimeOptions runtime = {};

  // One thread, virtual time, and every choice drawn from `seed`: the same seed takes the same course on every machine,
  // and a wait of an hour takes no time. Ranks are fibres: each runs until it waits in a call of Polder, with a timeout
  // of 0, too. So a body must not wait for another rank by any other means (a lock, a barrier of threads, a loop over
  // plain memory), nor sleep but by Simulation::sleep(); it has 512 kB of stack.
  bool deterministic = false;
  SimulatedFaults faults = {};                // deterministic only
  std::int64_t limit_ns = 3'600'000'000'000;  // deterministic only: virtual time in which all ranks must end
};

class POLDER_API Simulation {
 public:
  Simulation(Rank ranks, SimulationOptions options = {});  // run() says what is wrong with them
  ~Simulation();

  // Once. Runs `body` as every rank, each in a thread of its own (deterministic: in a fibre), and waits for all.
  // Returns the first error (by rank) of creating a runtime. timeout: some ranks, which are named, had not ended within
  // limit_ns. They were killed then; a rank that does not end even so ends the process.
  Status run(const std::function<void(Runtime&)>& body);

  // Faults; callable while run() is under way, also from inside a rank. They take effect at once.
  void kill(Rank rank);  // every call of that rank returns `closed`, its peers see it fail
  void cut(Rank from,
           Rank to);  // what `from` sends to `to` is lost for good or until heal(); network and messages only
  void heal(Rank from, Rank to);

  // Nanoseconds since run() began, virtual ones if the simulation is deterministic.
  std::int64_t now_ns() const;
  // The calling rank sleeps.
  void sleep(std::int64_t nanoseconds);
  // Deterministic only, before run(): does `what`, a fault for one, at that time of now_ns(). It must not call run().
  void at(std::int64_t when_ns, std::function<void()> what);

  // Deterministic only; else 0. How many turns ranks and their helpers have had, and a hash of whose turn came when:
  // equal for two simulations that took the same course.
  std::uint64_t steps() const;
  std::uint64_t course() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace polder
