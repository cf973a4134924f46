// What a process has one of: the recorder for calls that name no runtime, and the names that doors and users gave.
#pragma once

#include "trace/record/recorder.hpp"

#include <polder/trace_door.hpp>

namespace polder::trace {

// The recorder of a runtime that was opened: the first one of the process is taken for calls that name none. All names
// known so far are written to it, and those to come. withdraw() before it ends.
void publish(Recorder& recorder);
void withdraw(Recorder& recorder);

// The user's kind of this name.
Kind name_user_kind(std::string_view text);

}  // namespace polder::trace
