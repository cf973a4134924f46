#include "bootstrap/gathered/make_meeting.hpp"

#include "bootstrap/gathered/meeting_guest.hpp"
#include "bootstrap/gathered/meeting_host.hpp"

namespace polder::bootstrap::gathered {

std::unique_ptr<Meeting> make_meeting(Party party) {
  if (party.me == party.ranks.front()) return std::make_unique<MeetingHost>(std::move(party));
  return std::make_unique<MeetingGuest>(std::move(party));
}

}  // namespace polder::bootstrap::gathered
