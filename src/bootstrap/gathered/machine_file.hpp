// A machine file of GASPI launchers: a host per line, line i is that of rank i. Empty lines and what follows a # are
// skipped.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <string>

namespace polder::bootstrap::gathered {

// Success if the first `size` hosts of the file are all this machine. unsupported: one is another, and how to start
// there; invalid_argument: the file cannot be read, or has fewer lines than the job has ranks.
Status check_machine_file(const std::string& path, Rank size);

// Whether `host` is a name or an address of this machine. May ask the resolver, once for each name that is not obvious.
bool is_this_machine(const std::string& host);

}  // namespace polder::bootstrap::gathered
