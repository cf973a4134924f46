#include "device/wire/network/connection_guard.hpp"

#include "device/wire/network/connection_proof.hpp"
#include "device/wire/network/pacing.hpp"
#include "device/wire/network/redirect.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sys/uio.h>

namespace polder::device::wire {
namespace {

thread_local const ConnectionGuard* passing = nullptr;

// ---- the sockets that are watched; a library belongs to the process, and so do its sockets ----

class Sockets {
 public:
  // The secret that guards this listener.
  std::optional<std::uint64_t> guard_of(int listener) {
    std::lock_guard lock(mutex_);
    const auto found = listeners_.find(listener);
    return found == listeners_.end() ? std::nullopt : std::optional(found->second.secret);
  }
  void set_guard(int listener, const ConnectionGuard* guard) {
    std::lock_guard lock(mutex_);
    listeners_.erase(listener);
    if (guard != nullptr) listeners_.emplace(listener, Guard{guard, guard->secret()});
  }
  void leave(const ConnectionGuard& owner, bool guards_stay) {
    std::lock_guard lock(mutex_);
    for (auto& [listener, guard] : listeners_)
      if (guards_stay && guard.owner == &owner) guard.owner = nullptr;
    std::erase_if(listeners_, [&](const auto& entry) { return entry.second.owner == &owner; });
  }

  // Who connects owes a proof until it sends something.
  void set_debt(int socket, const ConnectionGuard* guard) {
    if (guard == nullptr && debts_.load(std::memory_order_relaxed) == 0) return;
    std::lock_guard lock(mutex_);
    secrets_owed_.erase(socket);
    if (guard != nullptr) secrets_owed_.emplace(socket, guard->secret());
    debts_.store(int(secrets_owed_.size()), std::memory_order_relaxed);
  }
  std::optional<std::uint64_t> take_debt(int socket) {
    if (debts_.load(std::memory_order_relaxed) == 0) return {};
    std::lock_guard lock(mutex_);
    const auto found = secrets_owed_.find(socket);
    if (found == secrets_owed_.end()) return {};
    const std::uint64_t secret = found->second;
    secrets_owed_.erase(found);
    debts_.store(int(secrets_owed_.size()), std::memory_order_relaxed);
    return secret;
  }

  std::uint64_t count_stranger() { return strangers_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  struct Guard {
    const ConnectionGuard* owner = nullptr;
    std::uint64_t secret = 0;
  };

  std::mutex mutex_;
  std::unordered_map<int, Guard> listeners_;
  std::unordered_map<int, std::uint64_t> secrets_owed_;
  std::atomic<int> debts_{0};
  std::atomic<std::uint64_t> strangers_{0};
};

// Never destroyed: threads of a library may outlive what the process has made.
Sockets& sockets() {
  static auto* const all = new Sockets;
  return *all;
}

// ---- what a library calls instead of the functions of the C library ----

template <class Function>
std::atomic<Function*> next{nullptr};  // one for each type, and the types differ

using Bind = int(int, const sockaddr*, socklen_t) noexcept;  // the type differs from that of connect
using Listen = int(int, int);
using Accept = int(int, sockaddr*, socklen_t*);
using Connect = int(int, const sockaddr*, socklen_t);
using Send = ssize_t(int, const void*, std::size_t, int);

template <class Function>
Function& onward() {
  return *next<Function>.load(std::memory_order_relaxed);
}

// UCX draws ports from UCX_TCP_PORT_RANGE until one is free: for ever, where none is.
struct SearchForPort {
  static constexpr std::int64_t kPatience_ns = 2'000'000'000;
  std::int64_t since_ns = 0;  // nothing but ports in use
  std::int64_t last_ns = 0;   // the latest of them
  bool in_vain = false;

  int end_of_try(int result) {
    if (passing == nullptr || result == 0 || errno != EADDRINUSE) return result;
    const std::int64_t now = util::now_ns();
    if (now - std::exchange(last_ns, now) > kPatience_ns) since_ns = now;  // another search
    in_vain = now - since_ns > kPatience_ns;
    errno = in_vain ? EADDRNOTAVAIL : EADDRINUSE;  // after the former it gives up
    return -1;
  }
};
thread_local SearchForPort search_for_port;

int watched_bind(int socket, const sockaddr* name, socklen_t bytes) noexcept {
  return search_for_port.end_of_try(onward<Bind>()(socket, name, bytes));
}

// As the user wants it, and of our sockets only.
void pace_own(int socket) {
  if (passing == nullptr) return;
  static const std::string wish = util::option_text(kCongestion);
  static std::atomic<bool> told{false};
  if (!pace(socket, wish) && !told.exchange(true))
    util::log(util::LogLevel::warning, "the kernel allows no congestion control '%s' (%s)", wish.c_str(),
              kCongestion.name);
}

// The kernel keeps a connection to itself until its first bytes are there: silent ones never get further.
int guarded_listen(int socket, int backlog) {
  sockets().set_guard(socket, passing);
  pace_own(socket);
  if (passing != nullptr) {
    const int seconds = 10;
    ::setsockopt(socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
  }
  const int result = search_for_port.end_of_try(onward<Listen>()(socket, backlog));
  if (result == 0) search_for_port = {};
  return result;
}

// The first, and then ever fewer: nobody shall fill a disk with lines.
void note_stranger() {
  const std::uint64_t count = sockets().count_stranger();
  if ((count & (count - 1)) == 0)
    util::log(
        util::LogLevel::warning,
        "dropped a connection of a stranger or an earlier job: it has no proof of this job's secret (%llu times so "
        "far)",
        static_cast<unsigned long long>(count));
}

int guarded_accept(int listener, sockaddr* peer, socklen_t* bytes) {
  const auto secret = sockets().guard_of(listener);
  const socklen_t room = bytes == nullptr ? 0 : *bytes;
  while (true) {
    if (bytes != nullptr) *bytes = room;
    const int socket = onward<Accept>()(listener, peer, bytes);
    if (socket < 0 || !secret) return socket;
    sockets().set_debt(socket, nullptr);
    const ProofFound proof = find_proof(socket, *secret);
    if (proof == ProofFound::right) return socket;
    ::close(socket);
    if (proof == ProofFound::wrong) note_stranger();
  }
}

int guarded_connect(int socket, const sockaddr* peer, socklen_t bytes) {
  sockets().set_debt(socket, passing);
  pace_own(socket);
  return onward<Connect>()(socket, peer, bytes);
}

// The proof and the first word travel together, so that whoever accepts finds the proof complete.
ssize_t guarded_send(int socket, const void* data, std::size_t bytes, int flags) {
  const auto secret = sockets().take_debt(socket);
  if (!secret) return onward<Send>()(socket, data, bytes, flags);
  const auto proof = prove(socket, *secret, ConnectionEnd::caller);
  if (!proof) return errno = ECONNRESET, -1;
  iovec parts[] = {{const_cast<ConnectionProof*>(&*proof), sizeof *proof}, {const_cast<void*>(data), bytes}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  const ssize_t sent = ::sendmsg(socket, &message, flags | MSG_NOSIGNAL);
  if (sent > ssize_t(sizeof *proof) || sent < 0) return sent < 0 ? sent : sent - ssize_t(sizeof *proof);
  return errno = ECONNRESET, -1;  // a fresh connection has room for it
}

// `otherwise`: what it surely may call until it is known what it did call.
template <class Function>
bool lead(const void* inside, const char* name, Function& through, Function& otherwise) {
  Function* none = nullptr;
  next<Function>.compare_exchange_strong(none, &otherwise);
  const auto before = redirect(inside, name, reinterpret_cast<AnyFunction>(&through));
  // All libraries mean the same function, that of the C library.
  if (before != nullptr) next<Function>.store(reinterpret_cast<Function*>(before));
  return before != nullptr;
}

// What is known of a library by an address in it.
struct Led {
  const void* inside;
  bool works;
};

}  // namespace

bool ConnectionGuard::install(const void* inside) {
  static std::mutex mutex;
  static auto* const libraries = new std::vector<Led>;
  std::lock_guard lock(mutex);
  for (const Led& one : *libraries)
    if (one.inside == inside) return one.works;
  const bool works = lead<Send>(inside, "send", guarded_send, ::send) &&
                     lead<Connect>(inside, "connect", guarded_connect, ::connect) &&
                     lead<Accept>(inside, "accept", guarded_accept, ::accept) &&
                     lead<Listen>(inside, "listen", guarded_listen, ::listen);
  if (works) lead<Bind>(inside, "bind", watched_bind, ::bind);
  libraries->push_back({inside, works});
  return works;
}

Status ConnectionGuard::admit(bool works, bool unguarded, const std::string& device, const std::string& option) {
  if (works) return {};
  if (!unguarded)
    return {Code::system, device +
                              ": the calls of this library cannot be led through a guard: whoever reached its TCP "
                              "ports could end this process. " +
                              option + "=yes starts all the same"};
  util::log(util::LogLevel::warning,
            "%s: the calls of this library cannot be led through a guard: whoever reaches its TCP ports can end this "
            "process",
            device.c_str());
  return {};
}

ConnectionGuard::~ConnectionGuard() {
  sockets().leave(*this, kept_);
}

ConnectionGuard::Passage::Passage(const ConnectionGuard& guard) : outer_(passing) {
  passing = guard.works() ? &guard : nullptr;
}

ConnectionGuard::Passage::~Passage() {
  passing = outer_;
}

bool ConnectionGuard::found_no_port() {
  return std::exchange(search_for_port, {}).in_vain;
}

}  // namespace polder::device::wire
