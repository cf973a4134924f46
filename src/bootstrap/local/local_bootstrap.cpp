#include "bootstrap/local/local_bootstrap.hpp"

#include "util/assert.hpp"

#include <unistd.h>

#include <string>

namespace polder::bootstrap::local {
namespace {

Job describe(const JobPage& page, Rank rank) {
  const JobHeader& header = page.header();
  return {.rank = rank,
          .size = header.size,
          .local_rank = rank,
          .local_size = header.size,
          .cores = int(header.cores),
          .id = header.id,
          .host = header.host,
          .spares = header.spares};
}

std::string quoted(std::string_view key) {
  return "'" + std::string(key) + "'";
}

std::string rank_text(Rank rank) {
  return "rank " + std::to_string(rank);
}

// Why a key or a value cannot be published; success if it can.
Status check_sizes(Rank rank, std::string_view key, std::size_t value_bytes) {
  if (key.empty() || key.size() > kMaxKeyBytes)
    return {Code::invalid_argument, "publish by " + rank_text(rank) + ": a key has 1 to " +
                                        std::to_string(kMaxKeyBytes) + " bytes, this one " +
                                        std::to_string(key.size())};
  if (value_bytes > kMaxValueBytes)
    return {Code::invalid_size, "publish of " + quoted(key) + " by " + rank_text(rank) + ": a value has at most " +
                                    std::to_string(kMaxValueBytes) + " bytes, this one " + std::to_string(value_bytes)};
  return {};
}

Status explain_append(Code code, Rank rank, std::string_view key, std::size_t value_bytes) {
  const std::string what =
      "publish of " + quoted(key) + " (" + std::to_string(value_bytes) + " bytes) by " + rank_text(rank);
  if (code == Code::exists) return {code, what + ": the key is taken"};
  return {code, what + ": its store of " + std::to_string(kStoreBytes) + " bytes is full"};
}

}  // namespace

LocalBootstrap::LocalBootstrap(std::shared_ptr<JobPage> page, Rank rank, std::unique_ptr<JobControl> control,
                               util::Clock clock)
    : page_(std::move(page)),
      job_(describe(*page_, rank)),
      control_(std::move(control)),
      patience_({.oversubscribed = job_.size > Rank(job_.cores), .clock = clock}) {
  POLDER_ASSERT(rank < page_->size());
}

// A runtime whose start failed has never finished: it is none for which the rank would stay.
LocalBootstrap::~LocalBootstrap() {
  const std::int32_t owner = page_->slot(job_.rank).pid.load();
  if (!finished_ && (owner == 0 || owner == getpid())) page_->give_up(job_.rank);
}

Status LocalBootstrap::check_alive(const char* operation) const {
  if (page_->state(job_.rank) != RankState::failed) return {};
  return {Code::closed, std::string(operation) + ": " + rank_text(job_.rank) + " has been declared failed",
          Died::runtime};
}

Status LocalBootstrap::check_rank(Rank rank, const char* operation) const {
  if (rank < job_.size) return {};
  return {Code::invalid_rank,
          std::string(operation) + ": no rank " + std::to_string(rank) + " in a job of " + std::to_string(job_.size)};
}

Status LocalBootstrap::publish(std::string_view key, std::span<const std::byte> value) {
  if (Status status = check_sizes(job_.rank, key, value.size()); !status.ok()) return status;
  if (Status status = check_alive("publish"); !status.ok()) return status;
  if (Status status = page_->store(job_.rank).append(key, value); !status.ok())
    return explain_append(status.code(), job_.rank, key, value.size());
  page_->slot(job_.rank).bell.ring();
  return {};
}

Result<std::vector<std::byte>> LocalBootstrap::lookup(Rank owner, std::string_view key, Timeout timeout) {
  if (Status status = check_rank(owner, "lookup"); !status.ok()) return status;
  std::optional<std::span<const std::byte>> value;
  auto ready = [&] { return (value = page_->store(owner).find(key)).has_value(); };
  auto trouble = [&]() -> Status {
    if (Status status = check_alive("lookup"); !status.ok()) return status;
    if (!page_->is_gone(owner) || page_->may_return(owner)) return {};
    const char* how = page_->state(owner) == RankState::failed ? " failed" : " finished";
    return {Code::peer_failed, "lookup of " + quoted(key) + ": " + rank_text(owner) + how + " and never published it",
            Died::peer};
  };
  if (Status status = util::wait_until(ready, trouble, page_->slot(owner).bell, patience_, timeout); !status.ok())
    return status;
  return std::vector<std::byte>(value->begin(), value->end());
}

Health LocalBootstrap::health(Rank rank) const {
  if (rank >= job_.size) return Health::failed;
  switch (page_->slot(rank).state.load(std::memory_order_relaxed)) {
    case RankState::finished: return Health::finished;
    case RankState::failed: return Health::failed;
    default: return Health::healthy;
  }
}

bool LocalBootstrap::may_return(Rank rank) const {
  return rank < job_.size && page_->may_return(rank);
}

void LocalBootstrap::report_failure(Rank rank) {
  if (rank >= job_.size) return;
  std::uint32_t nobody = 0;
  page_->slot(rank).reported_by.compare_exchange_strong(nobody, job_.rank + 1);
  page_->declare_failed(rank);
}

Status LocalBootstrap::kill(Rank rank) {
  if (Status status = check_rank(rank, "kill"); !status.ok()) return status;
  // A rank that was only reported may still run, so the slot's word on its process counts.
  const RankSlot& slot = page_->slot(rank);
  const bool merely_reported = slot.reported_by.load() != 0 && slot.process.load() != 0 && slot.reaped.load() == 0;
  if (page_->is_gone(rank) && !merely_reported)
    return {Code::peer_failed, "kill: " + rank_text(rank) + " is gone already", Died::peer};
  return control_->kill(job_.rank, rank);
}

void LocalBootstrap::finish() {
  finished_ = true;
  page_->declare_finished(job_.rank);
}

void LocalBootstrap::abort(int code, std::string_view reason) {
  control_->abort(job_.rank, code, reason);
}

}  // namespace polder::bootstrap::local
