#include "device/ucx/lanes.hpp"

namespace polder::device::ucx {

// Lines such as "lane[0]: 4:tcp/eth0.0 md[1] ...".
bool only_tcp(std::string_view info) {
  for (std::size_t at = info.find("lane["); at != info.npos; at = info.find("lane[", at + 1)) {
    const std::string_view line = info.substr(at, info.find('\n', at) - at);
    if (line.find(":tcp/") == line.npos && line.find(":self/") == line.npos) return false;
  }
  return !info.empty();
}

bool reaches_memory(std::string_view info) {
  return info.find(" put[") != info.npos && info.find(" get[") != info.npos;
}

}  // namespace polder::device::ucx
