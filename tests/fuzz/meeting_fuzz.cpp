// Any packets in the meeting of a node, as guests send them to the host and the host to a guest: refused, or a crew with the page of
// this job.
#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/make_meeting.hpp"
#include "bootstrap/gathered/meeting_messages.hpp"
#include "bootstrap/gathered/packet_socket.hpp"
#include "bootstrap/local/job_page.hpp"
#include "memory_file.hpp"
#include "util/fd.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using namespace polder;
using namespace polder::bootstrap::gathered;

constexpr Rank kRanks = 3;
constexpr Rank kGuest = 2;

void require(bool holds) {
  if (!holds) std::abort();
}

Party party(Rank me) {
  static const std::string name = "polder/fuzz/" + std::to_string(getpid());
  return {.ranks = {0, 1, 2}, .me = me, .job_size = kRanks, .called = "RANK", .name = [] { return name; }};
}

// The input, in parts.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

  bool empty() const { return left_.empty(); }
  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }
  std::span<const std::uint8_t> take(std::size_t bytes) {
    const auto part = left_.first(std::min(bytes, left_.size()));
    left_ = left_.subspan(part.size());
    return part;
  }
  // Over a message that is right, from some place on.
  template <class T>
  void write_over(T& right) {
    const std::size_t at = std::size_t(byte()) * 4 % sizeof right;
    const auto part = take(std::min<std::size_t>(byte(), sizeof right - at));
    if (!part.empty()) std::memcpy(reinterpret_cast<std::byte*>(&right) + at, part.data(), part.size());
  }

 private:
  std::span<const std::uint8_t> left_;
};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// True: it is over.
bool go_on(Meeting& meeting, Rank me) {
  const auto crew = meeting.meet(Timeout::test());
  if (!crew.ok()) return require(!crew.status().to_string().empty()), !crew.status().timed_out();
  require(crew->me == me && crew->page->size() == kRanks);
  crew->slot(me).wait_status.store(1);
  return true;
}

void be_guests(Input& input) {
  const auto host = make_meeting(party(0));
  std::vector<util::Fd> guests;
  if (go_on(*host, 0)) return;
  while (!input.empty()) {
    const std::uint8_t what = input.byte();
    auto connection = connect_to(party(0).name());
    require(connection.ok());
    if (what % 2 == 0) {
      send_packet(*connection, std::as_bytes(input.take(input.byte())));
    } else {
      Introduction introduction = make_introduction(what / 2 % kRanks, kRanks);
      input.write_over(introduction);
      send_packet(*connection, bytes_of(introduction));
    }
    guests.push_back(*std::move(connection));
    if (what >= 128) guests.erase(guests.begin());
    if (go_on(*host, 0)) return;
  }
}

// What comes with a reply: nothing, any file, or a job page of any size.
util::Fd file_for(Input& input) {
  const std::uint8_t what = input.byte();
  if (what % 3 == 0) return {};
  if (what % 3 == 1) {
    const auto bytes = input.take(what);
    return util::Fd(dup(MemoryFile(bytes.data(), bytes.size()).number()));
  }
  return util::Fd(dup((*bootstrap::local::JobPage::create({.size = Rank(1 + what / 3 % 6)}))->file().get()));
}

void be_host(Input& input) {
  const auto door = listen_as(party(0).name());
  require(door.ok());
  const auto guest = make_meeting(party(kGuest));
  util::Fd connection;
  while (!input.empty()) {
    if (go_on(*guest, kGuest)) return;
    if (auto newcomer = accept_from(*door)) connection = *std::move(newcomer);
    const std::uint8_t what = input.byte();
    Reply reply = make_reply(Reply::Kind(what % 4));
    input.write_over(reply);
    const util::Fd file = file_for(input);
    send_packet(connection, bytes_of(reply).first(what < 16 ? input.byte() : sizeof reply), file ? file.get() : -1);
  }
  go_on(*guest, kGuest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  if (input.byte() % 2 == 0)
    be_guests(input);
  else
    be_host(input);
  return 0;
}
