#include "launch/signals.hpp"

#include "util/shared_memory.hpp"

#include <sys/signalfd.h>

#include <array>
#include <cctype>
#include <cstring>
#include <utility>

namespace polder::cli {
namespace {

constexpr std::array kHandled = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

constexpr std::pair<int, const char*> kNames[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},       {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},     {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},       {SIGPROF, "SIGPROF"}, {SIGVTALRM, "SIGVTALRM"},
    {SIGPOLL, "SIGPOLL"}, {SIGSTKFLT, "SIGSTKFLT"}, {SIGPWR, "SIGPWR"}};

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t wanted_signals() {
  // Where the parent ignores SIGCHLD the kernel would reap the ranks before we see their status.
  signal(SIGCHLD, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  for (int number : kHandled)
    if (!is_ignored(number)) sigaddset(&set, number);
  return set;
}

}  // namespace

Result<SignalSource> SignalSource::open() {
  const sigset_t wanted = wanted_signals();
  sigset_t blocked = wanted;
  sigaddset(&blocked, SIGPIPE);  // writes fail with EPIPE instead
  sigaddset(&blocked, SIGTTIN);  // reads in the background fail with EIO instead
  sigset_t before;
  if (sigprocmask(SIG_BLOCK, &blocked, &before) != 0) return util::system_error("sigprocmask");
  util::Fd file(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!file) return util::system_error("signalfd");
  return SignalSource(std::move(file), before);
}

std::optional<int> SignalSource::next() const {
  signalfd_siginfo info;
  if (read(file_.get(), &info, sizeof info) != ssize_t(sizeof info)) return std::nullopt;
  return int(info.ssi_signo);
}

void SignalSource::let_go() const {
  while (next()) {
  }
  sigset_t deadly;
  sigemptyset(&deadly);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&deadly, number);
  sigprocmask(SIG_UNBLOCK, &deadly, nullptr);
}

void stop_like_a_job() {
  // By the signal itself and not by SIGSTOP: the kernel then leaves alone those whom nobody could continue.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
}

std::string describe_signal(int signal) {
  std::string words = strsignal(signal);
  if (!words.empty()) words[0] = char(std::tolower(words[0]));
  for (const auto& [number, name] : kNames)
    if (number == signal) return std::string(name) + " (" + words + ")";
  return "signal " + std::to_string(signal) + " (" + words + ")";
}

}  // namespace polder::cli
