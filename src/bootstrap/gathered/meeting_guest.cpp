#include "bootstrap/gathered/meeting_guest.hpp"

#include "bootstrap/gathered/meeting_messages.hpp"
#include "bootstrap/gathered/node_page.hpp"
#include "util/log.hpp"

#include <poll.h>
#include <time.h>

#include <algorithm>

namespace polder::bootstrap::gathered {
namespace {

// Between two looks whether the host is there: short at first, for usually all are started at once.
constexpr std::int64_t kFirstPauseNs = 1'000'000;
constexpr std::int64_t kLongestPauseNs = 50'000'000;
constexpr std::int64_t kTickNs = 1'000'000'000;

void sleep_for(std::int64_t nanoseconds) {
  const timespec span{.tv_sec = time_t(nanoseconds / 1'000'000'000), .tv_nsec = long(nanoseconds % 1'000'000'000)};
  nanosleep(&span, nullptr);
}

}  // namespace

Result<Crew> MeetingGuest::meet(Timeout timeout) {
  const util::Deadline deadline(timeout);
  while (true) {
    if (!connection_)
      if (Status status = knock(); !status.ok()) return status;
    if (connection_) {
      pollfd news{.fd = connection_.get(), .events = POLLIN, .revents = 0};
      if (poll(&news, 1, int((deadline.left(kTickNs) + 999'999) / 1'000'000)) > 0)
        if (auto result = hear()) return *std::move(result);
    }
    if (deadline.passed()) return why_not_yet();
    if (connection_) continue;  // the host says who is missing
    complain_once();
    pause_ns_ = std::clamp(2 * pause_ns_, kFirstPauseNs, kLongestPauseNs);
    sleep_for(deadline.left(pause_ns_));
  }
}

// Success also if nobody is there yet.
Status MeetingGuest::knock() {
  auto connection = connect_to(party_.name());
  if (!connection.ok()) return connection.status().code() == Code::peer_failed ? Status() : connection.status();
  if (send_packet(*connection, std::as_bytes(std::span(&mine_, 1)))) connection_ = *std::move(connection);
  return {};
}

// Nothing: there is more to wait for.
std::optional<Result<Crew>> MeetingGuest::hear() {
  Reply reply = make_reply(Reply::waiting);
  const ReceivedPacket packet = receive_packet(connection_, std::as_writable_bytes(std::span(&reply, 1)));
  if (packet.bytes != sizeof reply) {
    connection_.reset();
    news_ = "rank " + std::to_string(party_.ranks.front()) + " ended before all had come" + heard_;
    return std::nullopt;
  }
  reply.text[sizeof reply.text - 1] = '\0';
  switch (reply.kind) {
    case Reply::seated: return sit_down(packet.file);
    case Reply::refused:
      return Status(Code::invalid_argument, "rank " + std::to_string(party_.me) + " is not of this job: " + reply.text);
    case Reply::taken:
      connection_.reset();
      news_ = std::string("process ") + reply.text + " is " + party_.called + "=" + std::to_string(party_.me) +
              " of this job already";
      if (util::now_ns() - began_ > std::chrono::nanoseconds(kTakenPatience).count())
        return Status(Code::exists, news_ + party_.advice);
      return std::nullopt;
    case Reply::waiting:
      news_ = reply.text;
      heard_ = "; it waited: " + news_;
      return std::nullopt;
  }
  return std::nullopt;
}

Result<Crew> MeetingGuest::sit_down(const util::Fd& file) const {
  auto page = open_node_page("/proc/self/fd/" + std::to_string(file.get()), party_.job_size);
  if (!page.ok()) return std::move(page).status();
  return Crew{.page = *std::move(page), .me = party_.me, .ranks = party_.ranks};
}

void MeetingGuest::complain_once() {
  if (complained_ || util::now_ns() - began_ < std::chrono::nanoseconds(kSilentWait).count()) return;
  complained_ = true;
  util::log(util::LogLevel::warning, "rank %u waits: %s%s", party_.me, news_.c_str(), party_.advice.c_str());
}

Status MeetingGuest::why_not_yet() const {
  return {Code::timeout, news_ + party_.advice};
}

}  // namespace polder::bootstrap::gathered
