#include "device/ucx/configuration.hpp"

#include "device/ucx/options.hpp"
#include "device/wire/format/protocol.hpp"

#include <ucs/config/global_opts.h>
#include <ucs/debug/debug.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

namespace polder::device::ucx {
namespace {

struct Wish {
  const char* name;  // as UCX calls it, without the prefix
  std::string value;
};

bool is_users(const char* name) {
  return std::getenv((std::string("UCX_") + name).c_str()) != nullptr;
}

bool exists(const std::string& device) {
  const std::string name = device.substr(0, device.find(':'));  // of "mlx5_0:1", say
  for (const char* folder : {"/sys/class/net/", "/sys/class/infiniband/"})
    if (::access((folder + name).c_str(), F_OK) == 0) return !name.empty();
  return name == "all";
}

// UCX goes on without a device that it does not find, and may find no way to anybody.
Status check_devices(const std::string& devices, const char* variable) {
  for (std::size_t at = 0; at < devices.size();) {
    const std::size_t end = std::min(devices.find(',', at), devices.size());
    const std::string device = devices.substr(at, end - at);
    if (!exists(device))
      return {Code::system, "ucx: this host has no network device '" + device + "' (" + variable + ")"};
    at = end + 1;
  }
  return {};
}

// What is a pattern to UCX is left to it.
Status check_devices_of_user() {
  const char* devices = std::getenv("UCX_NET_DEVICES");
  if (devices == nullptr || std::string_view(devices).find_first_of("^*?[") != std::string_view::npos) return {};
  return check_devices(devices, "UCX_NET_DEVICES");
}

}  // namespace

void quieten() {
  if (!is_users("LOG_LEVEL")) ucs_global_opts_set_value("LOG_LEVEL", "fatal");
  if (is_users("HANDLE_ERRORS") || is_users("ERROR_SIGNALS")) return;
  for (const int signal : {SIGILL, SIGSEGV, SIGBUS, SIGFPE}) ucs_debug_disable_signal(signal);
}

Result<ucp_config_t*> configuration() {
  const std::string devices = devices_option();
  const Status sound = devices.empty() ? check_devices_of_user() : check_devices(devices, "POLDER_UCX_DEVICES");
  if (!sound.ok()) return sound;
  ucp_config_t* config = nullptr;
  if (const ucs_status_t status = ucp_config_read(nullptr, nullptr, &config); status != UCS_OK)
    return ucx_error("reading the configuration of UCX", status);
  const Wish wishes[] = {
      // Ranks of one machine have a device of their own, and shared memory of UCX leaves files in /dev/shm.
      {"TLS", "^posix,sysv,xpmem,cma,knem"},
      // A connection attempt must not stop the thread that makes it until a dead host has been given up.
      {"TCP_CONN_NB", "y"},
      // A part of a large transfer is one segment.
      {"TCP_RX_SEG_SIZE", std::to_string(wire::kPartBytes + (std::size_t{8} << 10))},
      {"TCP_TX_SEG_SIZE", std::to_string(wire::kFrameBytes + 1024)},
  };
  for (const Wish& wish : wishes) {
    if (is_users(wish.name)) continue;
    ucp_config_modify(config, wish.name, wish.value.c_str());
    // UCX 1.13 knows what belongs to a transport without its prefix only.
    constexpr std::string_view kPrefix = "TCP_";
    if (std::string_view(wish.name).starts_with(kPrefix))
      ucp_config_modify(config, wish.name + kPrefix.size(), wish.value.c_str());
  }
  if (!devices.empty()) ucp_config_modify(config, "NET_DEVICES", devices.c_str());
  return config;
}

Status ucx_error(const char* operation, ucs_status_t status) {
  return {Code::system, std::string("ucx: ") + operation + ": " + ucs_status_string(status)};
}

}  // namespace polder::device::ucx
