// The part of a rank in a meeting: host or guest.
#pragma once

#include "bootstrap/gathered/meeting.hpp"

#include <memory>

namespace polder::bootstrap::gathered {

// The host's for the first of the ranks, a guest's for the others.
std::unique_ptr<Meeting> make_meeting(Party party);

}  // namespace polder::bootstrap::gathered
