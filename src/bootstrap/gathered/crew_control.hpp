// Control of ranks that have no launcher of Polder's: they end each other.
#pragma once

#include "bootstrap/gathered/crew.hpp"
#include "bootstrap/gathered/watcher.hpp"
#include "bootstrap/local/job_control.hpp"

#include <memory>

namespace polder::bootstrap::gathered {

// `watcher` lives as long as the result, or longer.
std::unique_ptr<local::JobControl> make_crew_control(Crew crew, std::shared_ptr<Watcher> watcher);

}  // namespace polder::bootstrap::gathered
