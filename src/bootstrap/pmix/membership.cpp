#include "bootstrap/pmix/membership.hpp"

#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/meeting.hpp"
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

Result<std::shared_ptr<Membership>> Membership::create(Timeout timeout) {
  const util::Deadline deadline(timeout);
  auto membership = std::make_shared<Membership>();
  auto client = Client::create();
  if (!client.ok()) return std::move(client).status();
  membership->client_ = *std::move(client);
  const Client& pmix = membership->client();

  auto place = read_place(pmix);
  if (!place.ok()) return std::move(place).status();
  gathered::Party party{.ranks = place->ranks,
                        .me = pmix.rank(),
                        .job_size = place->job_size,
                        .called = "PMIX_RANK",
                        .advice = "; the launcher puts them on this node, so they must see each other's processes",
                        .name = [name = meeting_place(pmix)] { return name; }};
  if (party.me == party.ranks.front()) {
    auto secret = agree_on_secret(pmix, deadline.remaining());
    if (!secret.ok()) return std::move(secret).status();
    party.job_id = *secret;
  }
  auto crew = gathered::make_meeting(std::move(party))->meet(deadline.remaining());
  if (!crew.ok()) return std::move(crew).status();
  membership->crew_ = *std::move(crew);

  if (membership->spreads()) membership->nodes_ = read_nodes(pmix, place->job_size);
  auto watcher = gathered::Watcher::start(membership->crew_);
  if (!watcher.ok()) return std::move(watcher).status();
  membership->watcher_ = *std::move(watcher);
  auto events = Events::listen(pmix, membership->page());
  if (!events.ok()) return std::move(events).status();
  membership->events_ = *std::move(events);
  if (membership->spreads())
    if (Status status = pmix.fence(deadline.remaining()); !status.ok()) return status;
  return membership;
}

}  // namespace polder::bootstrap::pmix
