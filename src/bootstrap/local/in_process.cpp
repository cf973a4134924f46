#include "bootstrap/local/in_process.hpp"

#include "bootstrap/local/job_control.hpp"
#include "bootstrap/local/local_bootstrap.hpp"

namespace polder::bootstrap::local {
namespace {

class ThreadControl final : public JobControl {
 public:
  explicit ThreadControl(std::shared_ptr<JobPage> page) : page_(std::move(page)) {}

  Status kill(Rank, Rank rank) override {
    if (page_->declare_failed(rank)) return {};
    return {Code::peer_failed, "kill: rank " + std::to_string(rank) + " is gone already", Died::peer};
  }

  void abort(Rank by, int code, std::string_view reason) override {
    page_->request_abort(by, code, reason);
    for (Rank rank = 0; rank < page_->size(); ++rank) page_->declare_failed(rank);
  }

 private:
  std::shared_ptr<JobPage> page_;
};

}  // namespace

Result<InProcessJob> InProcessJob::create(Rank size, InProcessOptions options) {
  auto page = JobPage::create({.size = size,
                               .spares = options.spares,
                               .id = options.clock.simulated() == nullptr ? 0 : options.clock.simulated()->draw() | 1});
  if (!page) return page.status();
  if (options.cores > 0) (*page)->header().cores = std::uint32_t(options.cores);
  return InProcessJob(*std::move(page), options.clock);
}

Result<std::unique_ptr<Bootstrap>> InProcessJob::attach(Rank rank) const {
  if (rank >= size())
    return Status(Code::invalid_rank,
                  "attach: no rank " + std::to_string(rank) + " in a job of " + std::to_string(size()));
  if (page_->slot(rank).state.load() == RankState::attached)
    return Status(Code::exists, "attach: rank " + std::to_string(rank) + " was attached before");
  if (Status status = page_->enter(rank); !status.ok()) return status;
  return std::unique_ptr<Bootstrap>(
      std::make_unique<LocalBootstrap>(page_, rank, std::make_unique<ThreadControl>(page_), clock_));
}

std::optional<InProcessJob::Abort> InProcessJob::aborted() const {
  const AbortRequest* request = page_->abort_request();
  if (request == nullptr) return std::nullopt;
  return Abort{request->rank, request->code, std::string(request->text())};
}

}  // namespace polder::bootstrap::local
