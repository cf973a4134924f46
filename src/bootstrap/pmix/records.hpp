// Records between nodes, over PMIx, and the end of the job.
#pragma once

#include "bootstrap/gathered/beyond.hpp"
#include "bootstrap/pmix/membership.hpp"

#include <memory>

namespace polder::bootstrap::pmix {

std::unique_ptr<gathered::Beyond> make_beyond(std::shared_ptr<Membership> membership);

}  // namespace polder::bootstrap::pmix
