#include "core/engine/attach.hpp"

#include "bootstrap/gathered/gathered.hpp"
#include "bootstrap/gathered/join.hpp"
#include "bootstrap/gathered/started_as.hpp"
#include "bootstrap/local/attach.hpp"
#include "bootstrap/plugin.hpp"
#include "core/engine/options.hpp"
#include "core/engine/plugin.hpp"
#include "device/mixed/route.hpp"
#include "device/plugin.hpp"
#include "device/shm/shm_device.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace polder::core {
namespace {

using BootstrapResult = Result<std::unique_ptr<bootstrap::Bootstrap>>;
using DeviceResult = Result<std::unique_ptr<device::Device>>;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

BootstrapResult bootstrap_plugin(const std::string& name, Timeout timeout) {
  auto found = find_in_plugin("bootstrap", name, bootstrap::kCreateBootstrap);
  if (!found.ok()) return std::move(found).status();
  BootstrapResult made = Status(Code::system, "bootstrap " + name + " made nothing");
  reinterpret_cast<bootstrap::CreateBootstrap> (*found)(timeout, made);
  return made;
}

DeviceResult device_plugin(const std::string& name, const bootstrap::Job& job) {
  auto found = find_in_plugin("device", name, device::kCreateDevice);
  if (!found.ok()) return std::move(found).status();
  DeviceResult made = Status(Code::system, "device " + name + " made nothing");
  reinterpret_cast<device::CreateDevice> (*found)({job.rank, job.size, job.id, job.host}, made);
  return made;
}

// A rank of polder run has its job page, whatever else the environment says.
BootstrapResult find_job(Timeout timeout) {
  const std::string wanted = bootstrap_option();
  if (is_set(bootstrap::local::kJobVariable) || wanted == "local") return bootstrap::local::attach_from_environment();
  if (wanted == "pmix") return bootstrap_plugin("pmix", timeout);
  if (wanted == "environment") return bootstrap::gathered::join(timeout);
  if (wanted != "auto")
    return Status(Code::invalid_argument, "there is no bootstrap '" + wanted +
                                              "' (POLDER_BOOTSTRAP); there are: auto, local, pmix, environment");
  // Before those of the launcher around: a script that it started may start ranks of its own.
  if (is_set("GASPI_RANK") || is_set("GASPI_NRANKS")) return bootstrap::gathered::join(timeout);
  if (is_set("PMIX_NAMESPACE")) return bootstrap_plugin("pmix", timeout);
  if (is_set("PMI_RANK")) return bootstrap::gathered::join(timeout);
  bootstrap::gathered::warn_of_lone_ranks();
  return bootstrap::local::attach_from_environment();
}

bool is_network(std::string_view name) {
  return name == "tcp" || name == "ucx" || name == "ofi";
}

// One of those that read and write memory by themselves, which libraries know how to use.
bool has_network_card() {
  std::error_code failed;
  return !std::filesystem::is_empty("/sys/class/infiniband", failed) && !failed;
}

// Where nobody has chosen, what suits the machine, or the next best whose plug-in is installed.
DeviceResult network_device(const bootstrap::Job& job) {
  const std::string wanted = network_option();
  if (is_network(wanted)) return device_plugin(wanted, job);
  if (wanted != "auto")
    return Status(Code::invalid_argument,
                  "there is no network '" + wanted + "' (POLDER_NETWORK); there are: auto, tcp, ucx, ofi");
  constexpr std::array kWithCard = {"ucx", "ofi", "tcp"}, kWithout = {"tcp", "ucx", "ofi"};
  DeviceResult first = Status(Code::unsupported);
  for (const char* const name : has_network_card() ? kWithCard : kWithout) {
    auto device = device_plugin(name, job);
    if (device.status().code() != Code::unsupported) return device;
    if (first.status().message().empty()) first = std::move(device);
  }
  return first;
}

// Shared memory to the ranks of this node, a network to the others. Also where a rank is alone on its node: its peers,
// who may not be, expect an address of both.
DeviceResult both_devices(const bootstrap::Bootstrap& bootstrap) {
  const bootstrap::Job& job = bootstrap.job();
  auto far = network_device(job);
  if (!far.ok()) return far;
  auto near = device::shm::ShmDevice::create(job.rank, job.size);
  if (!near.ok()) return near;
  return std::unique_ptr<device::Device>(std::make_unique<device::mixed::Route>(
      device::mixed::Route::Parts{.near = *std::move(near),
                                  .far = *std::move(far),
                                  .is_near = [&](Rank peer) { return bootstrap.same_node(peer); },
                                  .ranks = job.size}));
}

// A plug-in of somebody else's, found by its name.
DeviceResult foreign_device(const std::string& name, const bootstrap::Job& job) {
  auto device = device_plugin(name, job);
  if (device.status().code() != Code::unsupported) return device;
  return Status(Code::invalid_argument,
                "there is no device '" + name +
                    "' (POLDER_DEVICE); there are: auto, shm, tcp, ucx, ofi, mixed, and plug-ins; " +
                    std::string(device.status().message()));
}

// The bootstrap must outlive the device.
DeviceResult find_device(const bootstrap::Bootstrap& bootstrap) {
  const bootstrap::Job& job = bootstrap.job();
  const std::string wanted = device_option();
  if (is_network(wanted)) return device_plugin(wanted, job);
  if (wanted == "mixed") return both_devices(bootstrap);
  if (wanted != "auto" && wanted != "shm") return foreign_device(wanted, job);
  const bool one_node = job.local_size == job.size;
  if (!one_node && wanted == "shm")
    return Status(Code::invalid_argument, "POLDER_DEVICE=shm, but only " + std::to_string(job.local_size) + " of " +
                                              std::to_string(job.size) + " ranks are on " + job.host);
  return one_node ? device::shm::ShmDevice::create(job.rank, job.size) : both_devices(bootstrap);
}

Result<EngineParts> with_device(BootstrapResult bootstrap) {
  if (!bootstrap.ok()) return std::move(bootstrap).status();
  auto device = find_device(**bootstrap);
  if (!device.ok()) return std::move(device).status();
  return EngineParts{*std::move(bootstrap), *std::move(device)};
}

}  // namespace

Result<EngineParts> attach(Timeout timeout) {
  report_misspelt_options();
  return with_device(find_job(timeout));
}

Result<EngineParts> attach(const Exchange& exchange) {
  report_misspelt_options();
  return with_device(bootstrap::gathered::create(exchange));
}

}  // namespace polder::core
