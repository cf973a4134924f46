#include "bootstrap/local/attach.hpp"

#include "bootstrap/local/job_control.hpp"
#include "bootstrap/local/job_page.hpp"
#include "bootstrap/local/launcher_news.hpp"
#include "bootstrap/local/lifeline.hpp"
#include "bootstrap/local/local_bootstrap.hpp"
#include "util/log.hpp"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string>

namespace polder::bootstrap::local {
namespace {

// A process without a launcher ends itself.
class LoneControl final : public JobControl {
 public:
  Status kill(Rank, Rank) override {
    if (::kill(getpid(), SIGKILL) != 0) return util::system_error("kill");
    return {};
  }

  void abort(Rank by, int code, std::string_view reason) override {
    util::log(util::LogLevel::error, "rank %u aborted the job (code %d): %.*s", by, code, int(reason.size()),
              reason.data());
    _exit(code);
  }
};

Result<std::string> required_variable(const char* name) {
  if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return std::string(value);
  return Status(Code::invalid_argument, std::string(name) + " is not set although " + kJobVariable + " is");
}

Result<Rank> rank_from_environment(Rank size) {
  auto text = required_variable(kRankVariable);
  if (!text) return text.status();
  Rank rank = 0;
  const char* end = text->data() + text->size();
  if (auto [stop, error] = std::from_chars(text->data(), end, rank);
      error != std::errc() || stop != end || rank >= size)
    return Status(Code::invalid_argument,
                  std::string(kRankVariable) + "=" + *text + " is no rank of a job of " + std::to_string(size));
  return rank;
}

// Makes this process the owner of the slot, or says who is.
Status claim(const JobPage& page, Rank rank) {
  RankSlot& slot = page.slot(rank);
  std::int32_t owner = 0;
  if (!slot.pid.compare_exchange_strong(owner, getpid()) && owner != getpid())
    return {Code::exists, "attach: process " + std::to_string(owner) + " is rank " + std::to_string(rank) +
                              " already; unset " + kJobVariable + " to run this program as a job of its own"};
  return page.enter(rank);
}

// With the first runtime of this process.
Status tie_to_launcher(const JobPage& page, Rank rank, const std::string& lifeline) {
  if (Status status = arm_lifeline(lifeline); !status.ok()) return status;
  if (page.slot(rank).process.load() == getpid()) return {};
  // Behind a wrapper: the launcher does not see this process end unless it is told whom to watch.
  return send_news(page, {.kind = News::attached_below, .rank = rank});
}

Result<std::unique_ptr<Bootstrap>> attach_to(const std::string& path) {
  auto page = JobPage::open(path);
  if (!page) return page.status();
  auto rank = rank_from_environment((*page)->size());
  if (!rank) return rank.status();
  auto lifeline = required_variable(kLifelineVariable);
  if (!lifeline) return std::move(lifeline).status();
  const bool first = (*page)->slot(*rank).pid.load() != getpid();
  if (Status status = claim(**page, *rank); !status.ok()) return status;
  auto bootstrap = std::make_unique<LocalBootstrap>(*page, *rank, make_launcher_control(*page));
  if (first)
    if (Status status = tie_to_launcher(**page, *rank, *lifeline); !status.ok()) return status;
  return std::unique_ptr<Bootstrap>(std::move(bootstrap));
}

Result<std::unique_ptr<Bootstrap>> job_of_one() {
  auto page = JobPage::create({.size = 1});
  if (!page) return page.status();
  RankSlot& slot = (*page)->slot(0);
  slot.process = slot.pid = getpid();
  if (Status status = (*page)->enter(0); !status.ok()) return status;
  return std::unique_ptr<Bootstrap>(std::make_unique<LocalBootstrap>(*page, 0, std::make_unique<LoneControl>()));
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> attach_from_environment() {
  const char* path = std::getenv(kJobVariable);
  return path == nullptr || *path == '\0' ? job_of_one() : attach_to(path);
}

}  // namespace polder::bootstrap::local
