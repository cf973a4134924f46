// What can be set for the choice of algorithms, from the environment; Table::of_environment() reads it.
#pragma once

#include "util/options.hpp"

#include <span>

namespace polder::coll {

std::span<const util::Option> table_options();

}  // namespace polder::coll
