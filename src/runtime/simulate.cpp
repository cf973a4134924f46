#include <polder/simulate.hpp>

#include "bootstrap/local/in_process.hpp"
#include "core/engine/engine.hpp"
#include "device/mixed/route.hpp"
#include "device/shm/shm_device.hpp"
#include "device/sim/fabric.hpp"
#include "runtime/simulated_node.hpp"
#include "util/clock.hpp"
#include "util/fibres.hpp"
#include "util/log.hpp"
#include "util/mutex.hpp"

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace polder {

struct Simulation::State {
  SimulationOptions options;
  Rank ranks = 0;
  Status failure;                       // of setting up
  std::optional<util::Fibres> machine;  // on which all of it runs, if it is deterministic
  util::Clock clock;
  std::int64_t began_ns = 0;
  // Events that come after the end of the job are none. Parts that end later let the machine run on, and events with
  // it: so they share this and nothing else.
  std::shared_ptr<bool> over = std::make_shared<bool>(false);
  std::optional<bootstrap::local::InProcessJob> job;
  std::shared_ptr<device::sim::Fabric> fabric;  // null for shm
  std::shared_ptr<device::sim::Fabric> near;    // of the ranks of a node, where there are nodes
  util::Mutex mutex;                            // of engines
  std::vector<core::Engine*> engines;

  Status set_up();
  Status set_up_nodes();
  core::SimulatedNodes nodes() const { return {ranks, options.ranks_per_node, options.scattered}; }
  Result<std::unique_ptr<device::Device>> make_device(Rank rank) const;
  Status run_rank(Rank rank, const std::function<void(Runtime&)>& body);
  Result<std::unique_ptr<Runtime>> make_runtime(Rank rank);
  void plan_faults(Simulation& simulation);
  Status run_in_threads(const std::function<void(Runtime&)>& body);
  Status run_in_fibres(Simulation& simulation, const std::function<void(Runtime&)>& body);
  Status end_the_late(Simulation& simulation, const std::function<bool()>& all_ended);
  void forget(Rank rank) {
    std::lock_guard lock(mutex);
    engines[rank] = nullptr;
  }
};

Status Simulation::State::set_up() {
  if (options.device > SimulatedDevice::shm)
    return {Code::invalid_argument, "there is no simulated device " + std::to_string(unsigned(options.device))};
  const bool network_between =
      options.device == SimulatedDevice::network || options.device == SimulatedDevice::messages;
  if (options.ranks_per_node != 0 && !network_between)
    return {Code::invalid_argument, "simulated nodes need the device network or messages between them"};
  if (!options.deterministic && (options.faults.kills != 0 || options.faults.cuts != 0))
    return {Code::invalid_argument, "simulated faults are drawn in deterministic simulations only"};
  bootstrap::local::InProcessOptions shared{.clock = clock};
  // Ranks that have a core each wait and meet in other ways than those that share them: both are to be seen.
  if (machine) shared.cores = machine->draw() % 2 == 0 ? int(ranks) : 1;
  auto made = bootstrap::local::InProcessJob::create(ranks, shared);
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
  // Some networks copy what is short at once, and letters of collectives go in other ways then: both are to be seen.
  if (machine && options.seed % 2 == 0) network.copied_at_once = 256;
  network.clock = clock;
  auto woven = device::sim::Fabric::create(network);
  if (!woven.ok()) return std::move(woven).status();
  fabric = *std::move(woven);
  return options.ranks_per_node == 0 ? Status() : set_up_nodes();
}

// Ranks of a node meet in a fabric of their own.
Status Simulation::State::set_up_nodes() {
  auto woven = device::sim::Fabric::create(
      {.ranks = ranks, .seed = options.seed, .detection_ns = options.detection_ns, .direct = true, .clock = clock});
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
  return std::unique_ptr<device::Device>(std::make_unique<device::mixed::Route>(device::mixed::Route::Parts{
      .near = *std::move(close),
      .far = *std::move(distant),
      .is_near = [near = nodes(), rank](Rank peer) { return near.node_of(peer) == near.node_of(rank); },
      .ranks = ranks,
      .clock = clock}));
}

Result<std::unique_ptr<Runtime>> Simulation::State::make_runtime(Rank rank) {
  auto attached = job->attach(rank);
  if (!attached.ok()) return std::move(attached).status();
  std::unique_ptr<bootstrap::Bootstrap> bootstrap = *std::move(attached);
  if (near != nullptr) bootstrap = std::make_unique<core::SimulatedNode>(std::move(bootstrap), nodes());
  auto device = make_device(rank);
  if (!device.ok()) return std::move(device).status();
  // The world is committed here, and not by create(), so that a kill reaches a rank that still waits for it.
  RuntimeOptions without_world = options.runtime;
  without_world.commit_world = false;
  auto engine = core::Engine::create({std::move(bootstrap), *std::move(device), clock}, without_world);
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

namespace {

Status first_error(const std::vector<Status>& results) {
  for (const Status& result : results)
    if (!result.ok()) return result;
  return {};
}

}  // namespace

Status Simulation::State::run_in_threads(const std::function<void(Runtime&)>& body) {
  std::vector<Status> results(ranks);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) threads.emplace_back([&, rank] { results[rank] = run_rank(rank, body); });
  for (std::thread& thread : threads) thread.join();
  return first_error(results);
}

Status Simulation::State::run_in_fibres(Simulation& simulation, const std::function<void(Runtime&)>& body) {
  std::vector<Status> results(ranks);
  Rank ended = 0;
  for (Rank rank = 0; rank < ranks; ++rank)
    machine->start("rank " + std::to_string(rank), [&, rank] {
      results[rank] = run_rank(rank, body);
      ++ended;
    });
  plan_faults(simulation);
  const auto all_ended = [&] { return ended == ranks; };
  if (machine->run(all_ended, began_ns + options.limit_ns) != util::Fibres::End::done)
    return end_the_late(simulation, all_ended);
  return first_error(results);
}

// Different ranks, and different ways between them.
void Simulation::State::plan_faults(Simulation& simulation) {
  const SimulatedFaults& faults = options.faults;
  util::Random random(util::mix(options.seed ^ 0x6661756c7473));
  const auto when = [&] {
    return std::int64_t(random.below(std::uint64_t(std::max<std::int64_t>(faults.within_ns, 1))));
  };
  std::set<Rank> killed;
  while (killed.size() < std::min<std::size_t>(faults.kills, ranks - 1)) {
    const auto rank = Rank(random.below(ranks));
    const std::int64_t at = when();
    if (killed.insert(rank).second) simulation.at(at, [&simulation, rank] { simulation.kill(rank); });
  }
  for (Rank cuts = 0; cuts < faults.cuts && ranks > 1; ++cuts) {
    const auto from = Rank(random.below(ranks));
    const auto to = Rank((from + 1 + random.below(ranks - 1)) % ranks);
    const std::int64_t at = when();
    simulation.at(at, [&simulation, from, to] { simulation.cut(from, to); });
    if (faults.heal_after_ns != 0)
      simulation.at(at + faults.heal_after_ns, [&simulation, from, to] { simulation.heal(from, to); });
  }
}

// Every wait of a rank that was killed ends.
Status Simulation::State::end_the_late(Simulation& simulation, const std::function<bool()>& all_ended) {
  constexpr std::int64_t kPatience = 600'000'000'000;
  std::string late;
  for (const std::string& name : machine->living())
    if (name.starts_with("rank")) late += (late.empty() ? "" : ", ") + name;
  machine->start("end", [&] {
    for (Rank rank = 0; rank < ranks; ++rank) simulation.kill(rank);
  });
  if (machine->run(all_ended, clock.now_ns() + kPatience) != util::Fibres::End::done) {
    util::log(util::LogLevel::error, "simulation with seed %llu: %s did not even end when killed",
              static_cast<unsigned long long>(options.seed), late.c_str());
    std::abort();
  }
  return {Code::timeout, "simulation with seed " + std::to_string(options.seed) + ": after " +
                             std::to_string(options.limit_ns / 1'000'000) +
                             " ms of virtual time had not ended: " + late};
}

Simulation::Simulation(Rank ranks, SimulationOptions options) : state_(std::make_unique<State>()) {
  state_->options = options;
  state_->ranks = ranks;
  if (options.deterministic) {
    state_->machine.emplace(util::FibresOptions{.seed = options.seed});
    state_->clock = util::Clock(*state_->machine);
  }
  state_->engines.resize(ranks);
  state_->failure = state_->set_up();
}

Simulation::~Simulation() = default;

Status Simulation::run(const std::function<void(Runtime&)>& body) {
  if (!state_->failure.ok()) return state_->failure;
  state_->began_ns = state_->clock.now_ns();
  if (!state_->machine) return state_->run_in_threads(body);
  Status status = state_->run_in_fibres(*this, body);
  *state_->over = true;
  return status;
}

std::int64_t Simulation::now_ns() const {
  return state_->clock.now_ns() - state_->began_ns;
}

void Simulation::sleep(std::int64_t nanoseconds) {
  if (state_->machine)
    state_->machine->sleep(nanoseconds);
  else
    std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
}

void Simulation::at(std::int64_t when_ns, std::function<void()> what) {
  if (!state_->machine) return;
  state_->machine->start_at(state_->clock.now_ns() + when_ns, "event", [over = state_->over, what = std::move(what)] {
    if (!*over) what();
  });
}

std::uint64_t Simulation::steps() const {
  return state_->machine ? state_->machine->steps() : 0;
}

std::uint64_t Simulation::course() const {
  return state_->machine ? state_->machine->course() : 0;
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
