// One TCP connection between two ranks: what waits to be sent, what has come of a packet, and how far the handshake is.
#pragma once

#include "device/tcp/handshake.hpp"
#include "device/tcp/packet_reader.hpp"
#include "device/wire/network/transport.hpp"
#include "util/fd.hpp"
#include "util/fifo.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace polder::device::tcp {

struct TcpEndpoint;

class Connection {
 public:
  enum class Stage {
    connecting,  // the kernel has not reached the peer
    calling,     // this end has said its call and waits for the answer
    called,      // the other end has not said its whole call
    answered,    // this end has answered, and the caller may still give it up
    open,
    ended,
  };
  using Sent = wire::Transport::Sent;

  Connection(util::Fd socket, Stage stage, const RankAddresses& peer)
      : peer_(peer), socket_(std::move(socket)), stage_(stage) {}
  ~Connection() { drop_waiting(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_.get(); }
  Stage stage() const { return stage_; }
  const RankAddresses& peer() const { return peer_; }
  // Why it has ended.
  const std::string& why() const { return why_; }
  // Some packet has come; both ends have known each other.
  bool has_received() const { return has_received_; }
  bool has_been_open() const { return has_been_open_; }
  void end(const std::string& why);
  // Its peer has closed it, and nothing is left to be read.
  bool has_hung_up() const;

  // ---- the handshake; false: nothing more comes for now, or it has ended ----
  bool say_call(std::uint64_t secret, const RankAddresses& own);
  bool hear_answer(std::uint64_t secret);
  // What it said is in `heard` once true is returned; then it is answered, if that is right, or has ended.
  bool hear_call(std::uint64_t secret, const RankAddresses& own, CallVerdict& heard);
  bool hear_confirmation();

  // ---- packets ----
  // Until it is open they wait. `later`: on_sent tells.
  Sent send(wire::Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
            wire::Addressee& buffer);
  bool has_waiting() { return !waiting_.empty(); }
  // Sends what waits. False: nothing went.
  bool flush();
  // What has not begun to leave goes to `other` instead.
  void hand_waiting_to(Connection& other);
  // Says of all that waits that it is the sender's again.
  void drop_waiting();
  // Whether nobody is told when something comes, because somebody polls.
  void note_only_polled(bool only);
  // Reads once. False: nothing was there, or it has ended.
  bool receive(PacketSink& sink, std::span<std::byte> spare);

  TcpEndpoint* endpoint = nullptr;  // that sends by it
  bool is_watched = false;          // by the transport's epoll set
  bool is_blocked = false;          // which then looks for room, too
  std::int64_t since_ns = 0;        // before it is open: when it was made

 private:
  struct Parcel {
    PacketHead head;
    std::span<const std::byte> header, data;
    std::size_t gone = 0;  // bytes, of all three
    wire::Addressee* buffer = nullptr;

    std::size_t bytes() const { return sizeof head + header.size() + data.size(); }
  };
  // False: the kernel has no room for all of it, or it has ended.
  bool transmit(Parcel& parcel);
  bool transmit_small(Parcel& parcel);
  bool note_sent(Parcel& parcel, ssize_t sent);
  bool hear(void* what, std::size_t bytes);
  void open();
  void fail(const char* operation);

  RankAddresses peer_;
  util::Fd socket_;
  Stage stage_;
  std::string why_;
  bool has_received_ = false, has_been_open_ = false;
  bool is_only_polled_ = false;
  std::int64_t rests_until_ns_ = 0;  // amid a long packet
  ConnectionCall call_;
  ConnectionAnswer answer_;
  ConnectionConfirmation confirmation_;
  std::size_t heard_ = 0;  // bytes of what this end is waiting for
  util::Fifo<Parcel> waiting_;
  PacketReader reader_;
};

}  // namespace polder::device::tcp
