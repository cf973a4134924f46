// The launcher's words to a person, each one line on standard error.
#pragma once

#include <polder/types.hpp>

#include <string>

namespace polder::cli {

void report(const std::string& sentence);

// 0-255: what a shell would call this wait status; 128 + the signal for a violent end.
int exit_code(int wait_status);

// "was killed by SIGSEGV (segmentation fault), core dumped", "exited with code 3".
std::string describe_end(int wait_status);

}  // namespace polder::cli
