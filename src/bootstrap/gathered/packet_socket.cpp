#include "bootstrap/gathered/packet_socket.hpp"

#include "util/log.hpp"
#include "util/shared_memory.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace polder::bootstrap::gathered {
namespace {

struct Address {
  sockaddr_un data{};
  socklen_t size = 0;
};

// A name that begins with a zero byte is in no file system; see unix(7).
Address address_of(const std::string& name) {
  Address address;
  address.data.sun_family = AF_UNIX;
  name.copy(address.data.sun_path + 1, sizeof address.data.sun_path - 1);
  address.size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

Result<util::Fd> make_socket(int flags = 0) {
  util::Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
  if (!socket) return util::system_error("socket for the meeting of the ranks");
  return socket;
}

Result<util::Fd> listen_exactly_as(const std::string& name) {
  auto socket = make_socket(SOCK_NONBLOCK);  // accept_from() does not wait
  if (!socket.ok()) return socket;
  const Address address = address_of(name);
  if (bind(socket->get(), reinterpret_cast<const sockaddr*>(&address.data), address.size) != 0) {
    if (errno == EADDRINUSE) return Code::exists;
    return util::system_error("bind of the meeting of the ranks");
  }
  if (listen(socket->get(), SOMAXCONN) != 0) return util::system_error("listen for the meeting of the ranks");
  return socket;
}

Result<util::Fd> connect_exactly_to(const std::string& name) {
  auto socket = make_socket();
  if (!socket.ok()) return socket;
  const Address address = address_of(name);
  if (connect(socket->get(), reinterpret_cast<const sockaddr*>(&address.data), address.size) == 0) return socket;
  if (errno == ECONNREFUSED || errno == ENOENT || errno == EINTR) return Code::peer_failed;
  return util::system_error("connect to the meeting of the ranks");
}

// Any user may take any name first. So a name stands for some, which all ranks try in the same order.
constexpr int kTurns = 8;

std::string name_of_turn(const std::string& name, int turn) {
  return turn == 0 ? name : name + "~" + std::to_string(turn);
}

ucred credentials(const util::Fd& connection) {
  ucred peer{.pid = 0, .uid = uid_t(-1), .gid = gid_t(-1)};
  socklen_t size = sizeof peer;
  getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return peer;
}

}  // namespace

Result<util::Fd> listen_as(const std::string& name) {
  for (int turn = 0; turn < kTurns; ++turn) {
    auto door = listen_exactly_as(name_of_turn(name, turn));
    if (door.status().code() != Code::exists) return door;
    const auto holder = connect_exactly_to(name_of_turn(name, turn));
    if (holder.ok() && is_same_user(*holder)) return door;
  }
  return Status(Code::limit, "other users hold all names under which the ranks of this job could meet");
}

Result<util::Fd> connect_to(const std::string& name) {
  for (int turn = 0; turn < kTurns; ++turn) {
    auto connection = connect_exactly_to(name_of_turn(name, turn));
    const bool is_theirs = connection.ok() && !is_same_user(*connection);
    if (!is_theirs && connection.status().code() != Code::peer_failed) return connection;
  }
  return Code::peer_failed;
}

Result<util::Fd> accept_from(const util::Fd& listener) {
  util::Fd connection(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection && errno == EMFILE)
    return Status(Code::limit, "no descriptor is left for the ranks that come to the meeting; raise ulimit -n");
  if (!connection && errno == ENFILE)
    return Status(Code::limit, "the machine has no file left for the ranks that come to the meeting (fs.file-max)");
  if (!connection && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
    return util::system_error("accept at the meeting of the ranks");  // no memory, say: whoever knocks still does
  if (!connection) return Code::timeout;
  if (is_same_user(connection)) return connection;
  util::log(util::LogLevel::warning, "process %d of user %d came to the meeting of the ranks and was sent away",
            int(credentials(connection).pid), int(credentials(connection).uid));
  return Code::timeout;
}

pid_t process_behind(const util::Fd& connection) {
  return credentials(connection).pid;
}

bool is_same_user(const util::Fd& connection) {
  return credentials(connection).uid == geteuid();
}

bool send_packet(const util::Fd& connection, std::span<const std::byte> message, int file) {
  iovec part{.iov_base = const_cast<std::byte*>(message.data()), .iov_len = message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  if (file >= 0) {
    packet.msg_control = control;
    packet.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&packet);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
  }
  ssize_t sent;
  do sent = sendmsg(connection.get(), &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent == ssize_t(message.size());
}

ReceivedPacket receive_packet(const util::Fd& connection, std::span<std::byte> room) {
  iovec part{.iov_base = room.data(), .iov_len = room.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  packet.msg_control = control;
  packet.msg_controllen = sizeof control;
  ssize_t bytes;
  do bytes = recvmsg(connection.get(), &packet, MSG_CMSG_CLOEXEC);
  while (bytes < 0 && errno == EINTR);
  ReceivedPacket received;
  if (bytes <= 0) return received;
  received.bytes = std::size_t(bytes);
  const cmsghdr* head = CMSG_FIRSTHDR(&packet);
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    int file = -1;
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
    received.file = util::Fd(file);
  }
  return received;
}

}  // namespace polder::bootstrap::gathered
