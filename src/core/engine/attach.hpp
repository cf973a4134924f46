// Finds the launcher and the device that this process is to use.
#pragma once

#include "core/engine/engine.hpp"

#include <polder/exchange.hpp>

namespace polder::core {

// By what the environment says. timeout: other ranks were not there in time, where this process has to meet them.
Result<EngineParts> attach(Timeout timeout);

// By what the caller brings; collective.
Result<EngineParts> attach(const polder::Exchange& exchange);

}  // namespace polder::core
