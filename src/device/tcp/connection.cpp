#include "device/tcp/connection.hpp"

#include "util/assert.hpp"
#include "util/deadline.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace polder::device::tcp {
namespace {

constexpr int kAtOnce = MSG_DONTWAIT | MSG_NOSIGNAL;
// Packets up to this are gathered in one piece, which the kernel takes faster than three.
constexpr std::size_t kSmall = 1024;
// Of a packet that follows a long one so much is read before it is known where it goes, and is copied from there.
constexpr std::size_t kBehindLong = 4096;

// Of a packet of which more than this is missing the next piece is read after that, if the kernel has no more of it: more comes at once,
// and the kernel, which would hand over every 64 kB, is not kept from receiving it. Streams of 4 MB take 0.8 to 0.95 of the time; it is over before the end comes.
constexpr std::size_t kFarFromEnd = std::size_t{128} << 10;
constexpr std::int64_t kRest_ns = 10'000;

constexpr int kAcknowledgedAtOnce = 16 << 10;

bool is_would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

void Connection::end(const std::string& why) {
  if (stage_ == Stage::ended) return;
  stage_ = Stage::ended;
  why_ = why;
}

void Connection::fail(const char* operation) {
  end(std::string(operation) + ": " + std::strerror(errno));
}

bool Connection::has_hung_up() const {
  char byte;
  const ssize_t come = ::recv(socket(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  return come == 0 || (come < 0 && !is_would_block(errno));
}

// ---- the handshake ----

// A fresh connection has room for it.
bool Connection::say_call(std::uint64_t secret, const RankAddresses& own) {
  int error = 0;
  socklen_t bytes = sizeof error;
  if (::getsockopt(socket(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0 || error != 0) {
    end(std::string("calling it: ") + std::strerror(error));
    return false;
  }
  const auto call = make_call(socket(), secret, own, peer_);
  if (!call || ::send(socket(), &*call, sizeof *call, kAtOnce) != ssize_t(sizeof *call)) {
    end("it hung up");
    return false;
  }
  stage_ = Stage::calling;
  return true;
}

bool Connection::hear(void* what, std::size_t bytes) {
  const ssize_t come = ::recv(socket(), static_cast<std::byte*>(what) + heard_, bytes - heard_, MSG_DONTWAIT);
  if (come < 0 && is_would_block(errno)) return false;
  if (come <= 0) {
    end("it hung up");
    return false;
  }
  heard_ += std::size_t(come);
  return heard_ == bytes;
}

bool Connection::hear_answer(std::uint64_t secret) {
  if (!hear(&answer_, sizeof answer_)) return false;
  if (!is_right_answer(answer_, socket(), secret)) {
    end("a stranger answers at its address");
    return false;
  }
  const ConnectionConfirmation confirmation;
  if (::send(socket(), &confirmation, sizeof confirmation, kAtOnce) != ssize_t(sizeof confirmation)) {
    end("it hung up");
    return false;
  }
  open();
  return true;
}

void Connection::open() {
  stage_ = Stage::open;
  has_been_open_ = true;
  flush();
}

bool Connection::hear_call(std::uint64_t secret, const RankAddresses& own, CallVerdict& heard) {
  if (!hear(&call_, sizeof call_)) return false;
  heard = check_call(call_, socket(), secret, own);
  const auto answer = make_answer(socket(), secret);
  const bool is_right = heard == CallVerdict::right && answer &&
                        ::send(socket(), &*answer, sizeof *answer, kAtOnce) == ssize_t(sizeof *answer);
  if (is_right) {
    peer_ = call_.caller;
    stage_ = Stage::answered;
    heard_ = 0;
  } else {
    end("a call that is not for this rank");
  }
  return true;
}

bool Connection::hear_confirmation() {
  if (!hear(&confirmation_, sizeof confirmation_)) return false;
  if (confirmation_.word != ConnectionConfirmation::kHeard) {
    end("its caller confirms something else");
    return false;
  }
  open();
  return true;
}

// ---- sending ----

Connection::Sent Connection::send(wire::Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
                                  wire::Addressee& buffer) {
  if (stage_ == Stage::ended) return Sent::refused;
  Parcel parcel{.head = {.bytes = std::uint32_t(header.size() + data.size()),
                         .header_bytes = std::uint16_t(header.size()),
                         .kind = std::uint8_t(kind)},
                .header = header,
                .data = data,
                .buffer = &buffer};
  POLDER_ASSERT(parcel.head.is_right());
  if (stage_ == Stage::open && waiting_.empty()) {
    const bool is_gone = parcel.bytes() <= kSmall ? transmit_small(parcel) : transmit(parcel);
    if (is_gone) return Sent::at_once;
    if (stage_ == Stage::ended) return Sent::refused;
  }
  waiting_.push_back(parcel);
  return Sent::later;
}

bool Connection::transmit_small(Parcel& parcel) {
  std::array<std::byte, kSmall> whole;
  std::memcpy(whole.data(), &parcel.head, sizeof parcel.head);
  std::byte* at = std::copy(parcel.header.begin(), parcel.header.end(), whole.data() + sizeof parcel.head);
  std::copy(parcel.data.begin(), parcel.data.end(), at);
  return note_sent(parcel, ::send(socket(), whole.data(), parcel.bytes(), kAtOnce));
}

bool Connection::transmit(Parcel& parcel) {
  const std::span<const std::byte> runs[] = {std::as_bytes(std::span(&parcel.head, 1)), parcel.header, parcel.data};
  iovec left[std::size(runs)];
  msghdr message{};
  message.msg_iov = left;
  std::size_t skipped = parcel.gone;
  for (const auto& run : runs) {
    const std::size_t part = std::min(skipped, run.size());
    skipped -= part;
    if (part < run.size()) left[message.msg_iovlen++] = {const_cast<std::byte*>(run.data()) + part, run.size() - part};
  }
  return note_sent(parcel, ::sendmsg(socket(), &message, kAtOnce));
}

bool Connection::note_sent(Parcel& parcel, ssize_t sent) {
  if (sent < 0) {
    if (!is_would_block(errno)) fail("sending");
    return false;
  }
  parcel.gone += std::size_t(sent);
  return parcel.gone == parcel.bytes();
}

bool Connection::flush() {
  if (stage_ != Stage::open) return false;
  bool some = false;
  while (!waiting_.empty()) {
    Parcel& first = waiting_.front();
    const std::size_t before = first.gone;
    const bool is_gone = transmit(first);
    some = some || first.gone != before;
    if (!is_gone) break;
    wire::Addressee& buffer = *first.buffer;
    waiting_.pop_front();
    buffer.events->on_sent(buffer);
  }
  return some;
}

void Connection::hand_waiting_to(Connection& other) {
  const bool has_begun = !waiting_.empty() && waiting_.front().gone != 0;
  for (std::size_t i = has_begun ? 1 : 0; i < waiting_.size(); ++i) other.waiting_.push_back(waiting_[i]);
  const Parcel first = has_begun ? waiting_.front() : Parcel();
  waiting_.clear();
  if (has_begun) waiting_.push_back(first);
  other.flush();
}

void Connection::drop_waiting() {
  while (!waiting_.empty()) {
    wire::Addressee& buffer = *waiting_.front().buffer;
    waiting_.pop_front();
    buffer.events->on_sent(buffer);
  }
}

// ---- receiving ----

// The kernel acknowledges a packet of several segments when it is read, before it hands it over; or when it comes, in the sender's
// system call or in an interrupt, as long as less waits to be read than the reader has asked to be woken for. For 4 kB that is 2.4 us
// of 11, and nobody is woken here. Streams are acknowledged by those who read them, which is less work for their senders.
void Connection::note_only_polled(bool only) {
  if (only == is_only_polled_) return;
  is_only_polled_ = only;
  const int bytes = only ? kAcknowledgedAtOnce : 1;
  ::setsockopt(socket(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

bool Connection::receive(PacketSink& sink, std::span<std::byte> spare) {
  if (rests_until_ns_ != 0) {
    if (util::now_ns() < rests_until_ns_) return false;
    rests_until_ns_ = 0;
  }
  if (reader_.expects_long()) spare = spare.first(std::min(spare.size(), kBehindLong));
  const auto room = reader_.room(sink, spare);
  const std::size_t asked = room[0].iov_len + (room.size() == 1 ? 0 : room[1].iov_len);
  ssize_t come = 0;
  if (room.size() == 1) {
    come = ::recv(socket(), room[0].iov_base, room[0].iov_len, MSG_DONTWAIT);
  } else {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(room.data());
    message.msg_iovlen = room.size();
    come = ::recvmsg(socket(), &message, MSG_DONTWAIT);
  }
  if (come < 0 && is_would_block(errno)) return false;
  if (come <= 0) {
    if (come < 0)
      fail("receiving");
    else
      end("it has closed the connection");
    return false;
  }
  has_received_ = true;
  if (!reader_.take(sink, std::size_t(come))) end("what came is no packet");
  const bool is_empty = std::size_t(come) < asked;
  if (is_empty && reader_.left() > kFarFromEnd) rests_until_ns_ = util::now_ns() + kRest_ns;
  return true;
}

}  // namespace polder::device::tcp
