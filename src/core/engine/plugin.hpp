// Plug-ins: devices and launchers that come as shared objects of their own, so that a machine without their libraries
// runs Polder, and a job that does not need them does not load them.
#pragma once

#include <polder/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace polder::core {

// The folders in which plug-ins are looked for, in order: those of POLDER_PLUGIN_PATH (separated by ':'), polder/
// beside the library or program that holds this function, and the same where its build tree has it.
std::vector<std::string> plugin_folders();

// The address of `symbol` in libpolder-NAME.so, which stays loaded from now on.
// unsupported: there is no such plug-in (`kind` and `name` say which one is missing: "device ucx"), a library that it
// needs is missing, or it belongs to another version of Polder or was built with other
// headers of it.
Result<void*> find_in_plugin(std::string_view kind, const std::string& name, const char* symbol);

}  // namespace polder::core
