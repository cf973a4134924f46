#include <polder/simulate.hpp>

#include "bootstrap/local/in_process.hpp"
#include "core/engine/engine.hpp"
#include "device/mixed/route.hpp"
#include "device/shm/shm_device.hpp"
#include "device/sim/fabric.hpp"
#include "runtime/simulated_node.hpp"

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace polder {

struct Simulation::State {
  SimulationOptions options;
  Rank ranks = 0;
  Status failure;  // of setting up
  std::optional<bootstrap::local::InProcessJob> job;
  std::shared_ptr<device::sim::Fabric> fabric;  // null for shm
  std::shared_ptr<device::sim::Fabric> near;    // of the ranks of a node, where there are nodes
  std::mutex mutex;                             // of engines
  std::vector<core::Engine*> engines;

  Status set_up();
  Status set_up_nodes();
  core::SimulatedNodes nodes() const { return {ranks, options.ranks_per_node, options.scattered}; }
  Result<std::unique_ptr<device::Device>> make_device(Rank rank) const;
  Status run_rank(Rank rank, const std::function<void(Runtime&)>& body);
  Result<std::unique_ptr<Runtime>> make_runtime(Rank rank);
  void forget(Rank rank) {
    std::lock_guard lock(mutex);
    engines[rank] = nullptr;
  }
};

Status Simulation::State::set_up() {
  const bool network_between =
      options.device == SimulatedDevice::network || options.device == SimulatedDevice::messages;
  if (options.ranks_per_node != 0 && !network_between)
    return {Code::invalid_argument, "simulated nodes need the device network or messages between them"};
  auto made = bootstrap::local::InProcessJob::create(ranks);
  if (!made.ok()) return std::move(made).status();
  job.emplace(*std::move(made));
  if (options.device == SimulatedDevice::shm) return {};
  device::sim::FabricOptions network;
  network.ranks = ranks;
  network.min_delay_ns = options.min_delay_ns;
  network.max_delay_ns = options.max_delay_ns;
  network.seed = options.seed;
  network.detection_ns = options.detection_ns;
  network.direct = options.device == SimulatedDevice::direct;
  network.put_get = options.device != SimulatedDevice::messages;
  network.atomics = network.put_get;
  auto woven = device::sim::Fabric::create(network);
  if (!woven.ok()) return std::move(woven).status();
  fabric = *std::move(woven);
  return options.ranks_per_node == 0 ? Status() : set_up_nodes();
}

// Ranks of a node meet in a fabric of their own.
Status Simulation::State::set_up_nodes() {
  auto woven = device::sim::Fabric::create(
      {.ranks = ranks, .seed = options.seed, .detection_ns = options.detection_ns, .direct = true});
  if (!woven.ok()) return std::move(woven).status();
  near = *std::move(woven);
  return {};
}

Result<std::unique_ptr<device::Device>> Simulation::State::make_device(Rank rank) const {
  if (fabric == nullptr) return device::shm::ShmDevice::create(rank, ranks);
  if (near == nullptr) return fabric->device(rank);
  auto close = near->device(rank);
  if (!close.ok()) return close;
  auto distant = fabric->device(rank);
  if (!distant.ok()) return distant;
  return std::unique_ptr<device::Device>(std::make_unique<core::Route>(core::Route::Parts{
      .near = *std::move(close),
      .far = *std::move(distant),
      .is_near = [near = nodes(), rank](Rank peer) { return near.node_of(peer) == near.node_of(rank); },
      .ranks = ranks}));
}

Result<std::unique_ptr<Runtime>> Simulation::State::make_runtime(Rank rank) {
  auto bootstrap = job->attach(rank);
  if (!bootstrap.ok()) return std::move(bootstrap).status();
  if (near != nullptr) *bootstrap = std::make_unique<core::SimulatedNode>(*std::move(bootstrap), nodes());
  auto device = make_device(rank);
  if (!device.ok()) return std::move(device).status();
  // The world is committed here, and not by create(), so that a kill reaches a rank that still waits for it.
  RuntimeOptions without_world = options.runtime;
  without_world.commit_world = false;
  auto engine = core::Engine::create({*std::move(bootstrap), *std::move(device)}, without_world);
  if (!engine.ok()) return std::move(engine).status();
  {
    std::lock_guard lock(mutex);
    engines[rank] = engine->get();
  }
  auto runtime = std::make_unique<Runtime>(*std::move(engine));
  if (options.runtime.commit_world) {
    if (Status status = runtime->world().commit(options.runtime.timeout); !status.ok()) {
      forget(rank);
      return status;
    }
  }
  return runtime;
}

Status Simulation::State::run_rank(Rank rank, const std::function<void(Runtime&)>& body) {
  auto runtime = make_runtime(rank);
  if (!runtime.ok()) {
    job->fail(rank);  // so that the others do not wait for it
    return std::move(runtime).status();
  }
  body(**runtime);
  forget(rank);
  return {};
}

Simulation::Simulation(Rank ranks, SimulationOptions options) : state_(std::make_unique<State>()) {
  state_->options = options;
  state_->ranks = ranks;
  state_->engines.resize(ranks);
  state_->failure = state_->set_up();
}

Simulation::~Simulation() = default;

Status Simulation::run(const std::function<void(Runtime&)>& body) {
  if (!state_->failure.ok()) return state_->failure;
  std::vector<Status> results(state_->ranks);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < state_->ranks; ++rank)
    threads.emplace_back([&, rank] { results[rank] = state_->run_rank(rank, body); });
  for (std::thread& thread : threads) thread.join();
  for (Status& result : results)
    if (!result.ok()) return result;
  return {};
}

void Simulation::kill(Rank rank) {
  if (rank >= state_->ranks) return;
  if (state_->fabric != nullptr) state_->fabric->kill(rank);
  if (state_->near != nullptr) state_->near->kill(rank);
  state_->job->fail(rank);
  std::lock_guard lock(state_->mutex);
  if (core::Engine* engine = state_->engines[rank]) engine->progress().close();
}

void Simulation::cut(Rank from, Rank to) {
  if (state_->fabric != nullptr) state_->fabric->cut(from, to);
}

void Simulation::heal(Rank from, Rank to) {
  if (state_->fabric != nullptr) state_->fabric->heal(from, to);
}

}  // namespace polder
