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
  while (!empty() && wait_for_room(0) && write_piece()) {
  }
}

void LineSink::flush_all(int milliseconds) {
  while (!empty() && wait_for_room(milliseconds)) (void)write_piece();
  if (!empty()) drop();
}

// As many whole lines as a pipe takes in one piece, or else as much of the first line. More would block.
std::size_t LineSink::next_piece() const {
  const std::size_t left = pending_.size() - done_;
  if (left <= PIPE_BUF) return left;
  const std::size_t end = pending_.rfind('\n', done_ + PIPE_BUF - 1);
  return end != std::string::npos && end >= done_ ? end + 1 - done_ : PIPE_BUF;
}

bool LineSink::write_piece() {
  const ssize_t count = write(file_, pending_.data() + done_, next_piece());
  if (count < 0) {
    if (errno != EAGAIN && errno != EINTR) drop();  // EAGAIN: somebody made the shared descriptor non-blocking
    return false;
  }
  done_ += std::size_t(count);
  constexpr std::size_t kMuch = 65536;
  if (empty() || done_ >= kMuch) {
    pending_.erase(0, done_);
    done_ = 0;
  }
  return true;
}

void LineSink::drop() {
  broken_ = true;
  pending_.clear();
  done_ = 0;
}

bool LineSink::wait_for_room(int milliseconds) const {
  pollfd room{.fd = file_, .events = POLLOUT, .revents = 0};
  int ready;
  while ((ready = poll(&room, 1, milliseconds)) < 0 && errno == EINTR) {
  }
  return ready != 0;  // errors too: write() says what it is
}

}  // namespace polder::cli
