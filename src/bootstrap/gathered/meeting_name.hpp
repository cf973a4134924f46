// Where ranks of one job meet on a machine, if nobody told them.
#pragma once

#include "bootstrap/gathered/started_as.hpp"

#include <string>

namespace polder::bootstrap::gathered {

// A name that the ranks of a job have in common and, as far as they can know, no other job has: it is made of the
// user, the size of the job, the machine file, the program, and the process that started the ranks; or, instead of the
// last three, of what POLDER_MEETING says. It can change when that process ends. Other users cannot guess it, but one
// that POLDER_MEETING says they may.
//
// The process that started a rank is its nearest ancestor that is not in between: neither a wrapper that was started
// with the rank's variables already (sh -c, numactl, gdb), nor a subshell.
std::string meeting_name(const StartedAs& start);

// 32 letters that differ where texts differ, for names of limited length; not against enemies.
std::string short_hash(const std::string& text);

}  // namespace polder::bootstrap::gathered
