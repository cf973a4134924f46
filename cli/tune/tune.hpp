// The two things that the program does; collective, each by all ranks.
#pragma once

#include "tune/measurement.hpp"

#include <polder/runtime.hpp>
#include <polder/status.hpp>

#include <string>
#include <vector>

namespace polder::tune {

// Measures all kinds and sizes for about `seconds`, and prints at rank 0 a table of what is faster than what the built-in one
// takes; into `output` if that is not empty, under its name only once it is whole.
Status tune(Runtime& runtime, const std::vector<coll::Kind>& kinds, double seconds, const std::string& output);

// Prints at rank 0 which algorithm a call takes and why, what the model says of each, and how long each takes here.
// The choice is printed before anything is measured.
Status explain(Runtime& runtime, const Subject& subject, double seconds);

// What was printed so far goes out. system: it does not, and nobody would hear of it at exit.
Status flush_output();

}  // namespace polder::tune
