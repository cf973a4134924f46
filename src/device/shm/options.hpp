// What can be set for the shared-memory device.
#pragma once

#include "util/options.hpp"

#include <span>

namespace polder::device::shm {

std::span<const util::Option> options();

enum class UserMemory { automatic, cross_attach, messages };

// How peers reach memory that the user brought, as POLDER_SHM_USER_MEMORY says.
UserMemory user_memory_option();

}  // namespace polder::device::shm
