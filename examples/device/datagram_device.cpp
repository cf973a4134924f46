// The smallest device that is complete: messages between processes of one machine, as packets of Unix sockets, which
// arrive once and in order. Everything else Polder builds from messages. Each rank listens; a sender has a connection
// of its own to each receiver, so that one that is slow fills nobody else's way.
//
// POLDER_PLUGIN_PATH=the folder of libpolder-datagram.so POLDER_DEVICE=datagram polder run -n 4 PROGRAM
#include <device/plugin.hpp>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

using namespace polder;
using namespace polder::device;

constexpr std::size_t kMaxMessage = 16 * 1024;
constexpr std::string_view kMark = "datagram";  // in front of every address
constexpr int kBatch = 64;                      // messages that one progress() delivers at most

// In front of every message. Whoever does not know the job's secret is not heard.
struct Header {
  std::uint64_t secret;
  Rank source;
  HandlerId handler;
};

Status failure(const char* what) {
  return {Code::system, std::string("device datagram: ") + what + ": " + std::strerror(errno)};
}

class DatagramDevice final : public Device {
 public:
  explicit DatagramDevice(const Setup& setup) : setup_(setup) {}
  ~DatagramDevice() override {
    for (const auto& [rank, peer] : peers_) close(peer.socket);
    for (const int sender : senders_)
      if (sender >= 0) close(sender);
    for (const int fd : {wake_fd_, listener_, readable_})
      if (fd >= 0) close(fd);
  }

  // A name of the kernel's choice, unique on this machine.
  Status open() {
    wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    readable_ = epoll_create1(EPOLL_CLOEXEC);
    listener_ = new_socket();
    if (wake_fd_ < 0 || readable_ < 0 || listener_ < 0) return failure("socket");
    sockaddr_un none{};
    none.sun_family = AF_UNIX;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&none), sizeof none.sun_family) != 0) return failure("bind");
    return listen(listener_, SOMAXCONN) == 0 && watch(listener_) ? Status() : failure("listen");
  }

  const Capabilities& capabilities() const override { return capabilities_; }

  std::vector<std::byte> address() const override {
    sockaddr_un own{};
    socklen_t length = sizeof own;
    if (getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &length) != 0) return {};
    std::vector<std::byte> bytes(kMark.size() + length);
    std::memcpy(bytes.data(), kMark.data(), kMark.size());
    std::memcpy(bytes.data() + kMark.size(), &own, length);
    return bytes;
  }

  Status connect(Rank peer, std::span<const std::byte> address) override {
    if (peer >= setup_.size) return {Code::invalid_rank, "device datagram: there is no rank " + std::to_string(peer)};
    if (!is_ours(address))
      return {Code::invalid_argument, "device datagram: the address of rank " + std::to_string(peer) + " is none"};
    address = address.subspan(kMark.size());
    if (is_connected(peer)) return {};
    sockaddr_un name{};
    std::memcpy(&name, address.data(), address.size());
    const int fd = new_socket();
    if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&name), socklen_t(address.size())) != 0) {
      if (fd >= 0) close(fd);
      return {Code::peer_failed, "device datagram: rank " + std::to_string(peer) + " listens no more"};
    }
    disconnect(peer);
    const std::lock_guard lock(mutex_);
    peers_[peer] = {fd, false};
    return {};
  }

  void disconnect(Rank peer) override {
    const std::lock_guard lock(mutex_);
    const auto found = peers_.find(peer);
    if (found == peers_.end()) return;
    close(found->second.socket);
    peers_.erase(found);
  }

  // ---- memory: none of it is within reach of others, and the core serves it by messages ----

  Result<Exposure> expose(void* memory, std::size_t size) override {
    Exposure exposure{.data = static_cast<std::byte*>(memory), .size = size, .key = Key::of(Place{size, ~size})};
    if (memory != nullptr || size == 0) return exposure;
    constexpr std::size_t kPage = 4096;
    const std::size_t room = (size + kPage - 1) / kPage * kPage;
    exposure.data = static_cast<std::byte*>(std::aligned_alloc(kPage, room));
    if (exposure.data == nullptr)
      return Status(Code::out_of_memory, "device datagram: " + std::to_string(size) + " bytes");
    std::memset(exposure.data, 0, room);
    exposure.handle = 1;  // ours to free
    return exposure;
  }
  void conceal(const Exposure& exposure) override {
    if (exposure.handle == 1) std::free(exposure.data);
  }
  Result<Region> import(Rank owner, const Key& key, const Region*) override {
    Place place{};
    if (!key.read(place) || place.size != ~place.size_again)
      return Status(Code::invalid_argument, "device datagram: a key of rank " + std::to_string(owner) + " is none");
    return Region{.size = std::size_t(place.size)};
  }

  Status put(Rank, const Region&, std::span<const Piece>, CompletionSink*) override { return by_message(); }
  Status get(Rank, const Region&, std::span<const Piece>, CompletionSink*) override { return by_message(); }
  Status put_notify(Rank, const Region&, std::span<const Piece>, const Region&, const Flag&, CompletionSink*) override {
    return by_message();
  }
  Status atomic(Rank, const Region&, const AtomicRequest&, CompletionSink*) override { return by_message(); }

  // ---- messages ----

  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override {
    if (head.size() + body.size() > kMaxMessage)
      return {Code::invalid_size, "device datagram: the message is too long"};
    Header header{setup_.secret, setup_.rank, handler};
    iovec parts[] = {{&header, sizeof header},
                     {const_cast<std::byte*>(head.data()), head.size()},
                     {const_cast<std::byte*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 3;
    {
      const std::lock_guard lock(mutex_);
      const auto found = peers_.find(peer);
      if (found == peers_.end() || found->second.lost) return Code::peer_failed;
      if (sendmsg(found->second.socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return {};
      if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) return Code::queue_full;
      found->second.lost = true;
    }
    // With no lock held: the listener may call this device.
    Status why(Code::peer_failed, "rank " + std::to_string(peer) + " has closed its socket");
    if (lost_) lost_(peer, why);
    return why;
  }

  int progress(MessageSink& sink) override {
    // Not a std::mutex, which a thread must not try that holds it already: a handler may call progress().
    if (receiving_.test_and_set(std::memory_order_acquire)) return 0;
    accept_all();
    int delivered = 0;
    for (int& sender : senders_)
      while (delivered < kBatch && receive_one(sender, sink)) ++delivered;
    receiving_.clear(std::memory_order_release);
    return delivered;
  }

  void wait(std::int64_t nanoseconds) override {
    pollfd watched[] = {{wake_fd_, POLLIN, 0}, {readable_, POLLIN, 0}};
    const timespec time{time_t(nanoseconds / 1'000'000'000), long(nanoseconds % 1'000'000'000)};
    if (ppoll(watched, 2, &time, nullptr) <= 0 || (watched[0].revents & POLLIN) == 0) return;
    std::uint64_t count = 0;
    (void)!read(wake_fd_, &count, sizeof count);
  }
  void wake() override {
    const std::uint64_t one = 1;
    (void)!write(wake_fd_, &one, sizeof one);
  }

  void on_failure(std::function<void(Rank, const Status&)> listener) override { lost_ = std::move(listener); }

 private:
  struct Peer {
    int socket = -1;
    bool lost = false;
  };
  struct Place {
    std::uint64_t size;
    std::uint64_t size_again;  // its complement: what others wrote is no key
  };

  static int new_socket() { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

  static bool is_ours(std::span<const std::byte> address) {
    return address.size() > kMark.size() + sizeof(sa_family_t) &&
           address.size() <= kMark.size() + sizeof(sockaddr_un) &&
           std::memcmp(address.data(), kMark.data(), kMark.size()) == 0;
  }

  // The core asks for these only where a region says that they work.
  static Status by_message() { return {Code::unsupported, "device datagram: sends messages and nothing else"}; }

  bool is_connected(Rank peer) {
    const std::lock_guard lock(mutex_);
    const auto found = peers_.find(peer);
    return found != peers_.end() && !found->second.lost;
  }

  // From now on wait() ends when something can be read there, until it is closed.
  bool watch(int fd) const {
    epoll_event readable{};
    readable.events = EPOLLIN;
    return epoll_ctl(readable_, EPOLL_CTL_ADD, fd, &readable) == 0;
  }

  // A sender that nobody would hear sees its connection closed, and so that this rank is lost to it.
  void accept_all() {
    for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;)
      if (watch(fd))
        senders_.push_back(fd);
      else
        close(fd);
  }

  bool receive_one(int& fd, MessageSink& sink) {
    if (fd < 0) return false;
    const ssize_t bytes = recv(fd, room_.data(), room_.size(), MSG_DONTWAIT);
    if (bytes == 0) {  // the sender has ended; a process that was forked here may have the connection open still
      (void)epoll_ctl(readable_, EPOLL_CTL_DEL, fd, nullptr);
      close(std::exchange(fd, -1));
      return false;
    }
    if (bytes < 0) return false;
    Header header;
    if (std::size_t(bytes) < sizeof header) return true;
    std::memcpy(&header, room_.data(), sizeof header);
    if (header.secret != setup_.secret || header.source >= setup_.size) return true;
    sink.deliver(header.source, header.handler, std::span(room_).first(std::size_t(bytes)).subspan(sizeof header));
    return true;
  }

  const Setup setup_;
  const Capabilities capabilities_{.name = "datagram", .needs_progress = true, .max_message = kMaxMessage};
  std::mutex mutex_;  // of peers_
  std::map<Rank, Peer> peers_;
  std::function<void(Rank, const Status&)> lost_;
  int wake_fd_ = -1, listener_ = -1;
  int readable_ = -1;  // an epoll of the listening socket and of all connections, so that wait() needs no lock

  std::atomic_flag receiving_;  // set while a thread is in progress(), which alone sees what follows
  std::vector<int> senders_;    // a connection of each; -1: it has ended
  std::vector<std::byte> room_ = std::vector<std::byte>(sizeof(Header) + kMaxMessage);
};

}  // namespace

extern "C" [[gnu::visibility("default")]] void polder_create_device(const Setup& setup,
                                                                    Result<std::unique_ptr<Device>>& device) {
  auto made = std::make_unique<DatagramDevice>(setup);
  Status status = made->open();
  if (status.ok())
    device = std::unique_ptr<Device>(std::move(made));
  else
    device = std::move(status);
}
