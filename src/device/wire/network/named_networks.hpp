// A list of networks in an option of a device: "eth0,eth1".
#pragma once

#include <string_view>

namespace polder::device::wire {

// Cost: a look at each.
bool is_named(std::string_view list, std::string_view network);

}  // namespace polder::device::wire
