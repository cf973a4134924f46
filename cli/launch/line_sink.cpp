#include "launch/line_sink.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace polder::cli {

void LineSink::add(std::string_view prefix, std::string_view line) {
  if (broken_) return;
  pending_.append(prefix).append(line).push_back('\n');
}

void LineSink::flush() {
  while (!pending_.empty() && wait_for_room(0) && write_piece(next_piece())) {
  }
}

void LineSink::flush_all() {
  while (!pending_.empty() && write_piece(next_piece())) {
  }
}

// As many whole lines as a pipe takes in one piece, or else the first line alone.
std::size_t LineSink::next_piece() const {
  if (pending_.size() <= PIPE_BUF) return pending_.size();
  const std::size_t end = pending_.rfind('\n', PIPE_BUF - 1);
  return (end != std::string::npos ? end : pending_.find('\n')) + 1;
}

bool LineSink::write_piece(std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = write(file_, pending_.data() + done, bytes - done);
    if (count >= 0) {
      done += std::size_t(count);
    } else if (errno == EAGAIN) {
      wait_for_room(-1);  // somebody made the shared descriptor non-blocking
    } else if (errno != EINTR) {
      broken_ = true;
      pending_.clear();
      return false;
    }
  }
  pending_.erase(0, bytes);
  return true;
}

bool LineSink::wait_for_room(int milliseconds) const {
  pollfd room{.fd = file_, .events = POLLOUT, .revents = 0};
  return poll(&room, 1, milliseconds) != 0;  // errors too: write() says what it is
}

}  // namespace polder::cli
