// What a process has one of: the recorder for calls that name no runtime, and the names that doors and users gave.
#pragma once

#include "trace/record/hardware.hpp"
#include "trace/record/recorder.hpp"

#include <polder/trace_door.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder::trace {

// The recorder of a runtime that was opened: the first one of the process is taken for calls that name none. All names
// known so far are written to it, and those to come. withdraw() before it ends.
void publish(Recorder& recorder);

// What is counted in regions of the user from now on. An empty text, or a sentence that says what cannot be.
std::string publish_counters(Recorder& recorder, std::vector<HardwareCounter> counters);
// The counters as of the ticks `at`, if any were published.
void record_hardware(Recorder& recorder, std::int64_t at);
void withdraw(Recorder& recorder);

// Names that a module gives to kinds of its own, for all recorders of the process, those to come as well. The texts live
// as long as the process. A kind is named once.
void name_module_kinds(std::span<const KindName> names);

// The user's kind of this name.
EventKind name_user_kind(std::string_view text);

}  // namespace polder::trace
