#include "run_in_team.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace terasort {

int run_in_team(double patience, const std::function<int(GaspiTeam&)>& work) {
  Result<std::unique_ptr<GaspiTeam>> team = GaspiTeam::start(patience);
  if (!team.ok()) {
    // Which rank this would have been is not known yet.
    std::fprintf(stderr, "terasort: cannot start: %s\n", std::string(team.status().message()).c_str());
    return 1;
  }
  const int code = work(**team);
  if (!(*team)->caller().lost_peers()) return code;
  // An ordinary exit would leave the job in good order, and a peer that hangs would be waited for without end.
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace terasort
