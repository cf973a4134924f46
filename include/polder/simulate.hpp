// Ranks as threads of one process: for tests, for teaching, and for finding out what a program does when the network is
// slow, out of order or broken. The same Runtime, a different device.
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
};

class POLDER_API Simulation {
 public:
  Simulation(Rank ranks, SimulationOptions options = {});
  ~Simulation();

  // Once. Runs `body` as every rank, each in a thread of its own, and waits for all. Returns the first error (by rank)
  // of creating a runtime.
  Status run(const std::function<void(Runtime&)>& body);

  // Faults; callable while run() is under way, also from inside a rank. They take effect at once.
  void kill(Rank rank);  // every call of that rank returns `closed`, its peers see it fail
  void cut(Rank from,
           Rank to);  // what `from` sends to `to` is lost for good or until heal(); network and messages only
  void heal(Rank from, Rank to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace polder
