#include "signal_guard.hpp"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace fmm {
namespace {

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

SignalGuard::SignalGuard() {
  const sigset_t set = ending_signals();
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  // Without descriptors there is no guard, and signals end the program at once.
  if (signals_ < 0 || ::pipe2(stop_, O_CLOEXEC) != 0) return;
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait_for_signal(); });
}

SignalGuard::~SignalGuard() {
  if (stop_[1] >= 0) ::close(stop_[1]);
  if (thread_.joinable()) {
    thread_.join();
    const sigset_t set = ending_signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
  if (stop_[0] >= 0) ::close(stop_[0]);
  if (signals_ >= 0) ::close(signals_);
}

void SignalGuard::remove_on_signal(const std::string& path) {
  const std::lock_guard lock(mutex_);
  path_ = path;
}

void SignalGuard::wait_for_signal() {
  std::array<pollfd, 2> awaited{{{signals_, POLLIN, 0}, {stop_[0], POLLIN, 0}}};
  while (::poll(awaited.data(), awaited.size(), -1) < 0) {
  }
  if (awaited[0].revents == 0) return;
  signalfd_siginfo info;
  if (::read(signals_, &info, sizeof info) != ssize_t(sizeof info)) return;
  // The lock is kept: nobody makes another file meanwhile.
  mutex_.lock();
  if (!path_.empty()) ::unlink(path_.c_str());
  const int number = int(info.ssi_signo);
  std::signal(number, SIG_DFL);
  const sigset_t set = ending_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::kill(::getpid(), number);
}

}  // namespace fmm
