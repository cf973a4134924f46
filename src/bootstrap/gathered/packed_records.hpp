// Keys and values as one run of bytes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace polder::bootstrap::gathered {

using Records = std::map<std::string, std::vector<std::byte>, std::less<>>;

std::vector<std::byte> pack(const Records& records);

// Nothing if `bytes` are not what pack() made.
std::optional<Records> unpack(std::span<const std::byte> bytes);

}  // namespace polder::bootstrap::gathered
