#include "device/wire/network/named_networks.hpp"

#include <algorithm>
#include <cstddef>

namespace polder::device::wire {

bool is_named(std::string_view list, std::string_view network) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == network) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace polder::device::wire
