// The checksum of the sort benchmark: the sum of the CRC-32 of every record. It does not depend on the order of
// records, so an input and its sorted output have the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terasort {

// CRC-32 as of zlib, gzip and Ethernet (polynomial 0x04C11DB7, reflected).
std::uint32_t crc32(const std::byte* data, std::size_t bytes);

}  // namespace terasort
