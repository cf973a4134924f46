// What SIGINT, SIGTERM and SIGHUP leave behind: not the partial output, which has a hidden name and may be
// large.
#pragma once

#include <string>

namespace apps {

// From now on those signals remove `path` before they end the process as ever; a signal that is ignored stays ignored.
// One file at a time. A path that is too long for the system is not watched.
void remove_on_interrupt(const std::string& path);

// No file is removed any more.
void keep_on_interrupt();

}  // namespace apps
