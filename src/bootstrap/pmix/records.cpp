#include "bootstrap/pmix/records.hpp"

#include "util/deadline.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

namespace polder::bootstrap::pmix {
namespace {

using namespace std::chrono_literals;

// Between two questions for a record that its owner has not put yet; it has put others.
constexpr std::int64_t kFirstPauseNs = 1'000'000;
constexpr std::int64_t kLongestPauseNs = 100'000'000;
// How long one question may stay open: in between, the owner's health is looked at.
constexpr std::int64_t kSliceNs = 1'000'000'000;

std::string key_of(std::string_view key) {
  return "polder." + std::string(key);
}

class PmixBeyond final : public gathered::Beyond {
 public:
  explicit PmixBeyond(std::shared_ptr<Membership> membership) : membership_(std::move(membership)) {}

  Status publish(std::string_view key, std::span<const std::byte> value) override {
    if (!membership_->spreads()) return {};
    return membership_->client().put(Reach::job, key_of(key), value);
  }
  Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) override;
  Status share() override { return {}; }

  void report_failure(Rank) override {}  // each node notices by its own links; see events.hpp
  void finish() override {}
  Status kill(Rank rank) override {
    return {Code::unsupported,
            "kill: rank " + std::to_string(rank) +
                " runs on another node, and launchers with PMIx end whole jobs only; so does abort()"};
  }
  void abort(int code, std::string_view reason) override;

 private:
  const std::shared_ptr<Membership> membership_;
};

Result<std::vector<std::byte>> PmixBeyond::lookup(Rank owner, std::string_view key, Timeout timeout) {
  const util::Deadline deadline(timeout);
  std::int64_t pause = kFirstPauseNs;
  for (bool fresh = false;; fresh = true) {
    const std::chrono::nanoseconds slice(std::max<std::int64_t>(deadline.left(kSliceNs), kFirstPauseNs));
    auto value = membership_->client().get(owner, key_of(key), fresh, slice);
    const Code code = value.status().code();
    if (value.ok() || (code != Code::timeout && code != Code::invalid_argument)) return value;
    if (membership_->page().is_gone(owner))
      return Status(Code::peer_failed,
                    "lookup of '" + std::string(key) + "': rank " + std::to_string(owner) + " has gone", Died::peer);
    if (deadline.passed()) return Code::timeout;
    if (code == Code::invalid_argument) std::this_thread::sleep_for(std::chrono::nanoseconds(deadline.left(pause)));
    pause = std::min(2 * pause, kLongestPauseNs);
  }
}

void PmixBeyond::abort(int code, std::string_view reason) {
  const Rank me = membership_->client().rank();
  if (membership_->page().request_abort(me, code, reason))
    util::log(util::LogLevel::error, "rank %u aborted the job (code %d): %.*s", me, code, int(reason.size()),
              reason.data());
  membership_->client().abort(code, reason);
}

}  // namespace

std::unique_ptr<gathered::Beyond> make_beyond(std::shared_ptr<Membership> membership) {
  return std::make_unique<PmixBeyond>(std::move(membership));
}

}  // namespace polder::bootstrap::pmix
