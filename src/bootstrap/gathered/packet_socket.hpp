// Unix sockets between processes of one user and one machine, whose names lie in no file system: nothing is left
// behind, and nobody else can take a name's place while its owner lives. Where another user was faster, on purpose
// even, the next of some names that belong together is used. Messages arrive whole.
#pragma once

#include "util/fd.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

namespace polder::bootstrap::gathered {

// exists: somebody of this user listens under this name; limit: other users hold all that stand for it.
Result<util::Fd> listen_as(const std::string& name);

// peer_failed: nobody of this user listens.
Result<util::Fd> connect_to(const std::string& name);

// timeout: nobody waits, or one of another user did, whose connection is dropped with a line in the log. limit: this process, or
// the machine, may open no more files. What else goes wrong is that of the machine; whoever waits still does.
Result<util::Fd> accept_from(const util::Fd& listener);

// The process at the other end, as it was when it connected or began to listen; 0: cannot be told.
pid_t process_behind(const util::Fd& connection);
// True if that process belongs to this user.
bool is_same_user(const util::Fd& connection);

// One message, with a descriptor if `file` >= 0. False: the other end is gone.
bool send_packet(const util::Fd& connection, std::span<const std::byte> message, int file = -1);

struct ReceivedPacket {
  std::size_t bytes = 0;  // 0: the other end is gone
  util::Fd file;
};
// Waits for one message until the connection ends; longer ones are cut to `room`.
ReceivedPacket receive_packet(const util::Fd& connection, std::span<std::byte> room);

}  // namespace polder::bootstrap::gathered
