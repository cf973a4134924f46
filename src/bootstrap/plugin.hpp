// How a bootstrap that comes as a shared object of its own is made: libpolder-NAME.so, opened by core/engine/plugin
// when the environment says that its launcher started this process.
//
// The object exports one function under the name kCreateBootstrap:
//
//   extern "C" POLDER_API void polder_create_bootstrap(Timeout timeout, Result<std::unique_ptr<Bootstrap>>& bootstrap);
#pragma once

#include "bootstrap/bootstrap.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <memory>

namespace polder::bootstrap {

inline constexpr const char* kCreateBootstrap = "polder_create_bootstrap";

// Stores the bootstrap, or why there is none, in its argument. timeout: others have not come; the next call goes on. Does not
// throw. May be called more than once by a process: each runtime has a bootstrap of its own.
using CreateBootstrap = void (*)(Timeout, Result<std::unique_ptr<Bootstrap>>&);

}  // namespace polder::bootstrap
