// A job whose ranks are threads of one process, for tests and the simulator: a real job page, no launcher, no signals.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/local/job_page.hpp"
#include "util/clock.hpp"

#include <memory>
#include <optional>
#include <string>

namespace polder::bootstrap::local {

struct InProcessOptions {
  Rank spares = 0;  // how many ranks of `size` are spares
  int cores = 0;    // what Job::cores says; 0: those of this process
  util::Clock clock = {};
};

// Thread safe. The bootstraps that it makes may outlive it.
class InProcessJob {
 public:
  // invalid_argument: size is not 1 .. kMaxRanks. Else fails only for lack of memory or descriptors.
  static Result<InProcessJob> create(Rank size, InProcessOptions options = {});

  Rank size() const { return page_->size(); }

  // The bootstrap of `rank`; its slot counts as attached from now on. exists: it was made before.
  // kill(r) through it declares r failed, abort() declares all failed and returns.
  Result<std::unique_ptr<Bootstrap>> attach(Rank rank) const;

  // As if the process of `rank` had died. False if it had finished or failed before.
  bool fail(Rank rank) const { return page_->declare_failed(rank); }

  struct Abort {
    Rank rank;
    int code;
    std::string reason;
  };
  // What the first rank that called abort() said.
  std::optional<Abort> aborted() const;

 private:
  InProcessJob(std::shared_ptr<JobPage> page, util::Clock clock) : page_(std::move(page)), clock_(clock) {}

  std::shared_ptr<JobPage> page_;
  util::Clock clock_;
};

}  // namespace polder::bootstrap::local
