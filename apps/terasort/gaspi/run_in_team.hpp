// From the start of a GASPI job to its end, whichever that is.
#pragma once

#include "gaspi_team.hpp"

#include <functional>

namespace terasort {

// Runs `work` between gaspi_proc_init and gaspi_proc_term and returns its exit code, or 1 with a message if there is no
// job. Does not return if peers were lost on the way: then the process ends at once, so that the launcher sees a
// failure and ends the others.
int run_in_team(double patience, const std::function<int(GaspiTeam&)>& work);

}  // namespace terasort
