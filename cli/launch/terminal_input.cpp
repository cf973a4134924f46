#include "launch/terminal_input.hpp"

#include "util/shared_memory.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

namespace polder::cli {
namespace {

constexpr long kPauseNs = 100'000'000;

bool in_foreground() {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

}  // namespace

Result<util::Fd> TerminalInput::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return util::system_error("pipe for standard input");
  util::Fd read_end(ends[0]);
  pipe_ = util::Fd(ends[1]);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  watch_terminal();
  return read_end;
}

void TerminalInput::watch_terminal() {
  if (!loop_.watch(STDIN_FILENO, EPOLLIN, [this] { on_typed(); }).ok()) close();
}

void TerminalInput::on_typed() {
  if (!in_foreground()) return look_again_later();
  char buffer[4096];
  const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) return close();
  pending_.append(buffer, std::size_t(count));
  loop_.forget(STDIN_FILENO);
  on_room();
}

// What is typed while another job has the terminal is not for us. Nobody tells when that is over: a shell's `fg` sends
// SIGCONT only to those that are stopped.
void TerminalInput::look_again_later() {
  loop_.forget(STDIN_FILENO);
  const itimerspec pause{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = kPauseNs}};
  if (!timer_) timer_ = util::Fd(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  loop_.forget(timer_.get());
  timerfd_settime(timer_.get(), 0, &pause, nullptr);
  if (!loop_.watch(timer_.get(), EPOLLIN, [this] { resume(); }).ok()) close();
}

// One of the two is watched at a time: the terminal, or the pipe while rank 0 is behind.
void TerminalInput::on_room() {
  const ssize_t count = write(pipe_.get(), pending_.data(), pending_.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) return close();
  if (count > 0) pending_.erase(0, std::size_t(count));
  loop_.forget(pipe_.get());
  if (pending_.empty()) return watch_terminal();
  if (!loop_.watch(pipe_.get(), EPOLLOUT, [this] { on_room(); }).ok()) close();
}

void TerminalInput::resume() {
  if (!pipe_ || !pending_.empty()) return;
  if (!in_foreground()) return look_again_later();
  loop_.forget(timer_.get());
  loop_.forget(STDIN_FILENO);
  watch_terminal();
}

void TerminalInput::close() {
  loop_.forget(STDIN_FILENO);
  loop_.forget(timer_.get());
  if (pipe_) loop_.forget(pipe_.get());
  pipe_.reset();
}

}  // namespace polder::cli
