// News from ranks to their launcher: short messages on a pipe, so that it sleeps until there are some.
#pragma once

#include "bootstrap/local/job_control.hpp"
#include "bootstrap/local/job_page.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <memory>

namespace polder::bootstrap::local {

// What lies in the page is not repeated here: the message only says where to look.
struct News {
  enum Kind : std::uint32_t {
    attached_below,  // `rank` was attached by a process below the one that the launcher started
    kill_asked,      // see RankSlot::kill_asked of `rank`
    abort_asked,     // see JobHeader::abort
    not_started,     // the new process of `rank` could not become the program; `error` is its errno
  };
  Kind kind;
  Rank rank;
  std::int32_t error = 0;
};

// Writes `news` to the open pipe `file` in one piece; waits up to 5 s for room.
Status send_news(int file, const News& news);

// Opens the pipe that `page` names and sends `news`. peer_failed: the launcher is gone.
Status send_news(const JobPage& page, const News& news);

// Control through the launcher that made `page`.
std::unique_ptr<JobControl> make_launcher_control(std::shared_ptr<JobPage> page);

}  // namespace polder::bootstrap::local
