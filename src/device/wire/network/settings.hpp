// How a device over some network is set.
#pragma once

#include "device/wire/format/protocol.hpp"

#include <cstddef>
#include <cstdint>

namespace polder::device::wire {

// Whether large puts and gets reach into the memory of peers without their help; automatic: of those for whom the
// transport says that the network does so itself.
enum class Rma { off, on, automatic };

struct Settings {
  const char* name = "";                // of the device, in front of its errors; a literal
  const char* devices_option = "";      // by which networks to use are named
  std::uint32_t peer_timeout_ms = 0;    // after which a peer that does not answer is lost; 0: never
  std::size_t part_bytes = kPartBytes;  // of large transfers, at most kMostPartBytes; of what is copied, kPartBytes
  Rma rma = Rma::off;
  std::uint64_t rma_bytes = 0;  // in pieces of so many bytes or more: larger than kPackLimit
};

}  // namespace polder::device::wire
