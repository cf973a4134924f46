#include "bootstrap/gathered/meeting_host.hpp"

#include "bootstrap/gathered/meeting_messages.hpp"
#include "bootstrap/gathered/node_page.hpp"
#include "bootstrap/gathered/packet_socket.hpp"
#include "util/log.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

namespace polder::bootstrap::gathered {
namespace {

constexpr std::int64_t kNewsPauseNs = 500'000'000;  // between two messages to a guest about who is missing
constexpr std::int64_t kNameTickNs = 100'000'000;   // between two looks at whether the name has changed

bool is_readable(const util::Fd& file) {
  pollfd event{.fd = file.get(), .events = POLLIN, .revents = 0};
  return poll(&event, 1, 0) > 0;
}

bool send_reply(const util::Fd& connection, const Reply& reply, int file = -1) {
  return send_packet(connection, std::as_bytes(std::span(&reply, 1)), file);
}

}  // namespace

MeetingHost::MeetingHost(Party party)
    : party_(std::move(party)), mine_(make_introduction(party_.me, party_.job_size)), began_(util::now_ns()) {}

Result<Crew> MeetingHost::meet(Timeout timeout) {
  const util::Deadline deadline(timeout);
  while (true) {
    if (Status status = open_door(); !status.ok()) return status;
    if (Status status = take_in_newcomers(); !status.ok()) return status;
    forget_who_left();
    if (missing().empty()) return seat_all();
    tell_who_is_missing();
    if (deadline.passed()) return why_not_yet();
    sleep_until_news(deadline);
  }
}

// Also under the name that the job has after whoever started it has ended; guests that come later know only that one.
Status MeetingHost::open_door() {
  const std::string name = party_.name();
  if (doors_.contains(name)) return {};
  auto door = listen_as(name);
  name_taken_ = door.status().code() == Code::exists;
  if (door.ok()) {
    doors_.emplace(name, *std::move(door));
    return {};
  }
  if (!name_taken_) return std::move(door).status();
  if (util::now_ns() - began_ < std::chrono::nanoseconds(kTakenPatience).count()) return {};
  const auto other = connect_to(name);
  return {Code::exists, "process " + (other.ok() ? std::to_string(process_behind(*other)) : std::string("?")) + " is " +
                            party_.called + "=" + std::to_string(party_.me) +
                            " of this job already and still waits for its ranks" + party_.advice};
}

void MeetingHost::sleep_until_news(const util::Deadline& deadline) {
  std::vector<pollfd> events;
  const auto watch = [&](const util::Fd& file) {
    events.push_back({.fd = file.get(), .events = POLLIN, .revents = 0});
  };
  for (const auto& [name, door] : doors_) watch(door);
  for (const util::Fd& newcomer : newcomers_) watch(newcomer);
  for (const auto& [rank, guest] : guests_) watch(guest.connection);
  poll(events.data(), events.size(), int((deadline.left(kNameTickNs) + 999'999) / 1'000'000));
}

Status MeetingHost::take_in_newcomers() {
  for (const auto& [name, door] : doors_)
    while (is_readable(door)) {
      auto newcomer = accept_from(door);
      if (newcomer.ok())
        newcomers_.push_back(*std::move(newcomer));
      else if (!newcomer.status().timed_out())
        return std::move(newcomer).status();  // the door stays readable
    }
  std::vector<util::Fd> silent;
  for (util::Fd& newcomer : newcomers_) {
    if (is_readable(newcomer))
      listen_to(std::move(newcomer));
    else
      silent.push_back(std::move(newcomer));
  }
  newcomers_ = std::move(silent);
  return {};
}

void MeetingHost::listen_to(util::Fd newcomer) {
  Introduction introduction;
  const ReceivedPacket packet = receive_packet(newcomer, std::as_writable_bytes(std::span(&introduction, 1)));
  if (packet.bytes == 0) return;  // it only looked who is here, or has gone
  const std::string objection =
      packet.bytes == sizeof introduction ? why_refused(newcomer, introduction) : "it uses another release of Polder";
  if (!objection.empty())
    send_reply(newcomer, make_reply(Reply::refused, objection));
  else if (const auto seat = guests_.find(introduction.rank); seat != guests_.end())
    send_reply(newcomer, make_reply(Reply::taken, std::to_string(seat->second.introduction.process.pid)));
  else if (send_reply(newcomer, make_reply(Reply::waiting, describe_missing(missing(), party_.job_size))))
    guests_.emplace(introduction.rank, Guest{std::move(newcomer), introduction});
}

// Empty: nothing speaks against it.
std::string MeetingHost::why_refused(const util::Fd& connection, const Introduction& introduction) const {
  if (introduction.magic != mine_.magic) return "it uses another release of Polder";
  if (introduction.size != party_.job_size)
    return "it knows of " + std::to_string(introduction.size) + " ranks, rank " + std::to_string(party_.me) + " of " +
           std::to_string(party_.job_size);
  if (introduction.rank == party_.me ||
      !std::binary_search(party_.ranks.begin(), party_.ranks.end(), introduction.rank))
    return "there is no guest of rank " + std::to_string(introduction.rank);
  if (!(introduction.node == mine_.node) || introduction.process.pid != process_behind(connection))
    return "it cannot see the processes of the other ranks (another container?)";
  return "";
}

void MeetingHost::forget_who_left() {
  std::erase_if(guests_, [](const auto& entry) { return is_readable(entry.second.connection); });
}

std::vector<Rank> MeetingHost::missing() const {
  std::vector<Rank> result;
  for (const Rank rank : party_.ranks)
    if (rank != party_.me && !guests_.contains(rank)) result.push_back(rank);
  return result;
}

Status MeetingHost::why_not_yet() const {
  if (doors_.empty())
    return {Code::timeout, "another process is " + party_.called + "=" + std::to_string(party_.me) +
                               " of this job; it still waits for its ranks"};
  return {Code::timeout, describe_missing(missing(), party_.job_size) + party_.advice};
}

// So that each guest can say for whom it waits, should it give up first.
void MeetingHost::tell_who_is_missing() {
  const std::string text = describe_missing(missing(), party_.job_size);
  if (!complained_ && util::now_ns() - began_ > std::chrono::nanoseconds(kSilentWait).count()) {
    complained_ = true;
    util::log(util::LogLevel::warning, "%s and the others wait%s", text.c_str(), party_.advice.c_str());
  }
  const std::int64_t now = util::now_ns();
  if (text == told_ || now - told_at_ < kNewsPauseNs) return;
  told_ = text;
  told_at_ = now;
  for (const auto& [rank, guest] : guests_) send_reply(guest.connection, make_reply(Reply::waiting, text));
}

Result<Crew> MeetingHost::seat_all() {
  std::vector<Introduction> introductions{mine_};
  for (const auto& [rank, guest] : guests_) introductions.push_back(guest.introduction);
  auto page = make_node_page(party_.job_size, party_.job_id != 0 ? party_.job_id : mine_.random, introductions);
  if (!page.ok()) return std::move(page).status();
  // Who has gone meanwhile is a rank that failed; those who watch it will notice.
  for (const auto& [rank, guest] : guests_)
    send_reply(guest.connection, make_reply(Reply::seated), (*page)->file().get());
  doors_.clear();
  newcomers_.clear();
  guests_.clear();
  return Crew{.page = *std::move(page), .me = party_.me, .ranks = party_.ranks};
}

}  // namespace polder::bootstrap::gathered
