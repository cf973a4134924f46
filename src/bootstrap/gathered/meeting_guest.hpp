// Any rank of a meeting but the first.
#pragma once

#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/meeting.hpp"
#include "bootstrap/gathered/packet_socket.hpp"
#include "util/deadline.hpp"

#include <optional>
#include <string>

namespace polder::bootstrap::gathered {

class MeetingGuest final : public Meeting {
 public:
  explicit MeetingGuest(Party party)
      : party_(std::move(party)),
        mine_(make_introduction(party_.me, party_.job_size)),
        began_(util::now_ns()),
        news_("rank " + std::to_string(party_.ranks.front()) + " did not come") {}

  Result<Crew> meet(Timeout timeout) override;

 private:
  Status knock();
  std::optional<Result<Crew>> hear();
  Result<Crew> sit_down(const util::Fd& page) const;
  void complain_once();
  Status why_not_yet() const;

  const Party party_;
  const Introduction mine_;
  const std::int64_t began_;
  util::Fd connection_;
  std::string news_;   // what is known of why this takes so long
  std::string heard_;  // from the last host
  std::int64_t pause_ns_ = 0;
  bool complained_ = false;
};

}  // namespace polder::bootstrap::gathered
