// Finds the launcher and the device that this process is to use.
#pragma once

#include "core/engine.hpp"

namespace polder::core {

Result<EngineParts> attach();

}  // namespace polder::core
