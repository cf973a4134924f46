#include "device/ucx/host_networks.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace polder::device::ucx {
namespace {

// Whether "eth0,mlx5_0:1" names "mlx5_0".
bool names(std::string_view devices, std::string_view device) {
  for (std::size_t at = 0; at < devices.size();) {
    const std::size_t end = std::min(devices.find(',', at), devices.size());
    const std::string_view one = devices.substr(at, end - at);
    if (one.substr(0, one.find(':')) == device) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

bool may_reach_memory(const std::string& devices, const char* folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (devices.empty() || devices == "all" || names(devices, entry.path().filename().string())) return true;
  return false;
}

}  // namespace polder::device::ucx
