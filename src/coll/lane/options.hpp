// What can be set for how collectives copy, from the environment.
#pragma once

#include "coll/port/copy_ways.hpp"
#include "util/options.hpp"
#include "util/outward_copy.hpp"

#include <span>

namespace polder::coll {

std::span<const util::Option> lane_options();

util::OutwardCopy outward_copy_option();
CopyWays::Ways copy_ways_option();

}  // namespace polder::coll
