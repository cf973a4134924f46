// The settings of UCX that this device wants where the user has not said otherwise (UCX_... in the environment).
#pragma once

#include <polder/status.hpp>

#include <ucp/api/ucp.h>

namespace polder::device::ucx {

// UCX keeps its signal handlers and its log to itself, unless the user has asked for them. Both belong to the process.
void quieten();

// The configuration for a context; to be released with ucp_config_release. system: UCX cannot read its environment.
Result<ucp_config_t*> configuration();

Status ucx_error(const char* operation, ucs_status_t status);

}  // namespace polder::device::ucx
