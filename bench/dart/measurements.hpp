// What the DART door costs. Rank 0 prints.
#pragma once

#include "common/arguments.hpp"
#include "dart/dart_world.hpp"

namespace bench {

// door.cpp
void measure_dart_door(DartWorld& world, const Arguments& arguments);

}  // namespace bench
