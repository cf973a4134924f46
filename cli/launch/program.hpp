// Finds the program to run the way a shell does.
#pragma once

#include <string>

namespace polder::cli {

struct Program {
  std::string path;   // to hand to exec; empty if there is none
  int exit_code = 0;  // why there is none: kExitNotFound or kExitNotExecutable, with a sentence
  std::string error;
};

// A name with a slash is a path, any other is looked for in $PATH.
Program find_program(const std::string& name);

}  // namespace polder::cli
