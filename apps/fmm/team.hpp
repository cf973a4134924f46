// The team of all applications, by its names here.
#pragma once

#include "common/team.hpp"

namespace fmm {

using apps::crew_of;
using apps::stopped_by_another;
using apps::Team;
using polder::Code;
using polder::Result;
using polder::Status;

}  // namespace fmm
