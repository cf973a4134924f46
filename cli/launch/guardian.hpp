// The guardian: a process that sleeps until the launcher has died and then ends everything of its job.
//
// Ranks end by themselves then: the launcher's children by their parent-death signal, those that use Polder by their
// lifeline. The guardian is for the rest, a wrapper's child that never attached, or a helper that a rank left in the
// background.
#pragma once

#include "bootstrap/local/job_page.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>

#include <memory>
#include <string>

#include <sys/types.h>

namespace polder::cli {

class Guardian {
 public:
  // Forks it. `job` is what the ranks have in POLDER_JOB.
  static Result<Guardian> start(const std::shared_ptr<bootstrap::local::JobPage>& page, const std::string& job);

  Guardian(Guardian&& other) noexcept : pid_(std::exchange(other.pid_, 0)), lifeline_(std::move(other.lifeline_)) {}
  ~Guardian() { dismiss(); }

  // Ends it without a deed: the launcher now ends what is left itself.
  void dismiss();

 private:
  Guardian(pid_t pid, util::Fd lifeline) : pid_(pid), lifeline_(std::move(lifeline)) {}

  pid_t pid_;
  util::Fd lifeline_;  // the only write end: the kernel closes it with the launcher
};

}  // namespace polder::cli
