#include "bootstrap/pmix/membership.hpp"

#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/make_meeting.hpp"
#include "bootstrap/gathered/meeting_name.hpp"
#include "bootstrap/pmix/node_ranks.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

namespace polder::bootstrap::pmix {
namespace {

constexpr const char* kSecretKey = "polder.secret";
constexpr std::int64_t kSilentWait_ns = 10'000'000'000;  // for rank 0, until a line says so

// 64 random bits of rank 0, by which the ranks of this job know each other.
Result<std::uint64_t> agree_on_secret(const Client& client, Timeout timeout) {
  const util::Deadline deadline(timeout), silent(std::chrono::nanoseconds(deadline.left(kSilentWait_ns)));
  if (client.rank() == 0) {
    const std::uint64_t secret = gathered::make_introduction(0, 1).random;
    if (Status status = client.put(Reach::job, kSecretKey, std::as_bytes(std::span(&secret, 1))); !status.ok())
      return status;
    return secret;
  }
  auto bytes = client.get(0, kSecretKey, false, silent.remaining());
  if (bytes.status().timed_out() && !deadline.passed()) {
    util::log(util::LogLevel::warning, "rank %u waits: rank 0 has not made a runtime yet", client.rank());
    bytes = client.get(0, kSecretKey, false, deadline.remaining());
  }
  if (!bytes.ok()) return std::move(bytes).status();
  std::uint64_t secret = 0;
  if (bytes->size() != sizeof secret) return Status(Code::system, "the secret of rank 0 has a wrong size");
  std::memcpy(&secret, bytes->data(), sizeof secret);
  return secret;
}

// Ranks of a node have the daemon in common, whose folder only its user can write.
std::string meeting_place(const Client& client) {
  std::string name = "polder/" + std::to_string(geteuid()) + "/pmix/" + client.job_name();
  if (const char* folder = std::getenv("PMIX_SERVER_TMPDIR")) name += "/" + gathered::short_hash(folder);
  return name;
}

}  // namespace

Status Membership::start(Timeout timeout) {
  if (started_) return {};
  const util::Deadline deadline(timeout);
  if (client_ == nullptr) {
    auto client = Client::create();
    if (!client.ok()) return std::move(client).status();
    client_ = *std::move(client);
  }
  if (crew_.page == nullptr)
    if (Status status = find_crew(deadline); !status.ok()) return status;
  if (events_ == nullptr)
    if (Status status = watch_others(); !status.ok()) return status;
  if (spreads())
    if (Status status = client_->fence(deadline.remaining()); !status.ok()) return status;
  started_ = true;
  return {};
}

Status Membership::find_crew(const util::Deadline& deadline) {
  if (meeting_ == nullptr) {
    auto place = read_place(*client_);
    if (!place.ok()) return std::move(place).status();
    gathered::Party party{.ranks = place->ranks,
                          .me = client_->rank(),
                          .job_size = place->job_size,
                          .called = "PMIX_RANK",
                          .advice = "; the launcher puts them on this node, so they must see each other's processes",
                          .name = [name = meeting_place(*client_)] { return name; }};
    if (party.me == party.ranks.front()) {
      auto secret = agree_on_secret(*client_, deadline.remaining());
      if (!secret.ok()) return std::move(secret).status();
      party.job_id = *secret;
    }
    meeting_ = gathered::make_meeting(std::move(party));
  }
  auto crew = meeting_->meet(deadline.remaining());
  if (!crew.ok()) return std::move(crew).status();
  crew_ = *std::move(crew);
  meeting_.reset();
  return {};
}

Status Membership::watch_others() {
  if (spreads()) nodes_ = read_nodes(*client_, page().size());
  auto watcher = gathered::Watcher::start(crew_);
  if (!watcher.ok()) return std::move(watcher).status();
  watcher_ = *std::move(watcher);
  auto events = Events::listen(*client_, page());
  if (!events.ok())
    return events.status().timed_out() ? Status(Code::system, std::string(events.status().message()))
                                       : std::move(events).status();
  events_ = *std::move(events);
  return {};
}

}  // namespace polder::bootstrap::pmix
