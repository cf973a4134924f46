// The first rank of a meeting.
#pragma once

#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/meeting.hpp"
#include "util/deadline.hpp"
#include "util/fd.hpp"

#include <map>
#include <string>
#include <vector>

namespace polder::bootstrap::gathered {

class MeetingHost final : public Meeting {
 public:
  explicit MeetingHost(Party party);

  Result<Crew> meet(Timeout timeout) override;

 private:
  struct Guest {
    util::Fd connection;
    Introduction introduction;
  };

  Status open_door();
  void sleep_until_news(const util::Deadline& deadline);
  Status take_in_newcomers();
  void listen_to(util::Fd newcomer);
  std::string why_refused(const util::Fd& connection, const Introduction& introduction) const;
  void forget_who_left();
  std::vector<Rank> missing() const;
  Status why_not_yet() const;
  void tell_who_is_missing();
  Result<Crew> seat_all();

  const Party party_;
  const Introduction mine_;
  const std::int64_t began_;
  bool name_taken_ = false;
  bool complained_ = false;
  std::string told_;  // to the guests
  std::int64_t told_at_ = 0;
  std::map<std::string, util::Fd> doors_;  // by name; usually one
  std::vector<util::Fd> newcomers_;        // have said nothing yet
  std::map<Rank, Guest> guests_;
};

}  // namespace polder::bootstrap::gathered
