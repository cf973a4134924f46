// What can be set for the UCX device.
#pragma once

#include "util/options.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace polder::device::ucx {

std::span<const util::Option> options();

// The network devices that UCX may use and listen on; empty: all.
std::string devices_option();

// Milliseconds after which a peer that does not answer is lost; 0: never.
std::uint32_t peer_timeout_option();

// Whether UCX may listen where its ports cannot be guarded.
bool unguarded_option();

// Whether large puts and gets reach into the memory of peers without their help.
enum class Rma { off, on, automatic };
Rma rma_option();

// From how many bytes of a piece on; more than kPackLimit.
std::uint64_t rma_bytes_option();

}  // namespace polder::device::ucx
