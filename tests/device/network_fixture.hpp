// Ranks over one network: as threads of one process, and as a parent with a child. The tests that use it are linked
// once for each network.
#pragma once

#include "device/plugin.hpp"
#include "observers.hpp"
#include "util/fd.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace polder::device::network {

// The network that the tests are linked with.
struct Tested {
  Result<std::unique_ptr<Device>> (*create)(const Setup& setup);
  std::string name;     // of the device
  std::string options;  // what its options begin with: "POLDER_UCX_"
  // What its library says first on a connection from `here`.
  std::vector<std::uint8_t> (*first_words)(const sockaddr_in& here);

  std::string option(const char* rest) const { return options + rest; }
};
const Tested& tested();

constexpr std::uint64_t kSecret = 0x5ec4e7;

// A rank with a thread that makes progress, and notes of the messages and failures that it met.
class NetworkRank final : private MessageSink {
 public:
  NetworkRank(Rank rank, Rank size, std::uint64_t secret = kSecret) {
    auto made = tested().create({.rank = rank, .size = size, .secret = secret, .host = "here"});
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    if (!made.ok()) return;
    device_ = *std::move(made);
    device_->on_failure([this](Rank peer, const Status& why) {
      std::lock_guard lock(mutex_);
      lost_.push_back({peer, why});
    });
    device_->on_leave([this](Rank peer) {
      std::lock_guard lock(mutex_);
      left_.push_back(peer);
    });
    helper_ = std::thread([this] {
      while (!stopping_)
        if (device_->progress(*this) == 0) device_->wait(20'000'000);
    });
  }
  ~NetworkRank() { close(); }

  Device& operator*() { return *device_; }
  Device* operator->() { return device_.get(); }
  explicit operator bool() const { return device_ != nullptr; }

  void close() {
    stopping_ = true;
    if (device_ != nullptr) device_->wake();
    if (helper_.joinable()) helper_.join();
    device_.reset();
  }
  // Without a thread from now on: whoever calls progress() makes progress.
  void stop_helper() {
    stopping_ = true;
    device_->wake();
    helper_.join();
  }
  void poll() { device_->progress(*this); }
  std::thread& helper() { return helper_; }

  std::vector<Rank> lost() {
    std::lock_guard lock(mutex_);
    std::vector<Rank> ranks;
    for (const auto& [rank, why] : lost_) ranks.push_back(rank);
    return ranks;
  }
  // Those who left in good order.
  std::vector<Rank> left() {
    std::lock_guard lock(mutex_);
    return left_;
  }
  std::vector<Mailbox::Mail> mail() {
    std::lock_guard lock(mutex_);
    return box_.mail;
  }

 private:
  void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) override {
    std::lock_guard lock(mutex_);
    box_.deliver(source, handler, message);
  }

  std::mutex mutex_;
  Mailbox box_;
  std::vector<std::pair<Rank, Status>> lost_;
  std::vector<Rank> left_;
  std::unique_ptr<Device> device_;
  std::atomic<bool> stopping_{false};
  std::thread helper_;
};

// An option for the devices that are made while it lives.
class WithOption {
 public:
  WithOption(std::string name, const char* value) : name_(std::move(name)) { ::setenv(name_.c_str(), value, 1); }
  ~WithOption() { ::unsetenv(name_.c_str()); }
  WithOption(const WithOption&) = delete;
  WithOption& operator=(const WithOption&) = delete;

 private:
  const std::string name_;
};

inline Piece piece_of(void* local, std::uint64_t remote, std::uint64_t bytes) {
  return {static_cast<std::byte*>(local), remote, bytes};
}

// A parent, rank 0, and a child, rank 1, that tell each other things by a line of their own.
class NetworkProcesses : public testing::Test {
 protected:
  struct Card {
    std::uint32_t address_size = 0;
    std::byte address[1024] = {};
    Key memory;  // a Memory
  };
  struct Side {
    std::unique_ptr<NetworkRank> rank;
    util::Fd line;
    Exposure memory;
    Region its_memory;
    Memory& mine() const { return *reinterpret_cast<Memory*>(memory.data); }
  };

  ~NetworkProcesses() override { end_child(); }

  template <class T>
  static bool tell(Side& side, const T& value) {
    return ::write(side.line.get(), &value, sizeof value) == ssize_t(sizeof value);
  }
  // False if nothing has been told within twenty seconds.
  template <class T>
  static bool hear(Side& side, T& value) {
    pollfd ready{side.line.get(), POLLIN, 0};
    return ::poll(&ready, 1, 20'000) == 1 &&
           ::recv(side.line.get(), &value, sizeof value, MSG_WAITALL) == ssize_t(sizeof value);
  }
  bool meet(Side& side, Rank me) {
    side.rank = std::make_unique<NetworkRank>(me, 2);
    if (!*side.rank) return false;
    auto memory = (*side.rank)->expose(nullptr, sizeof(Memory));
    if (!memory.ok()) return false;
    side.memory = *memory;
    Card card, other;
    const auto address = (*side.rank)->address();
    card.address_size = std::uint32_t(address.size());
    std::copy(address.begin(), address.end(), card.address);
    card.memory = memory->key;
    if (!tell(side, card) || !hear(side, other)) return false;
    address_.assign(other.address, other.address + other.address_size);
    if (!(*side.rank)->connect(1 - me, address_).ok()) return false;
    auto region = (*side.rank)->import(1 - me, other.memory, nullptr);
    if (!region.ok()) return false;
    side.its_memory = *region;
    return true;
  }

  // Runs `child` in a process of its own; what it returns is its exit status, 0 if all is well.
  void start(const std::function<int(Side&)>& child) {
    int lines[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lines), 0);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      ::alarm(60);
      ::close(lines[0]);
      Side side;
      side.line = util::Fd(lines[1]);
      int result = 100;
      if (meet(side, 1)) result = child(side);
      side.rank.reset();
      ::_exit(testing::Test::HasFailure() ? 101 : result);
    }
    ::close(lines[1]);
    side_.line = util::Fd(lines[0]);
    ASSERT_TRUE(meet(side_, 0));
  }
  void expect_good_end() {
    int how = 0;
    ASSERT_EQ(::waitpid(child_, &how, 0), child_);
    child_ = -1;
    EXPECT_TRUE(WIFEXITED(how)) << "signal " << WTERMSIG(how);
    EXPECT_EQ(WEXITSTATUS(how), 0) << "the step of the child that failed";
  }
  // Returns when it does nothing any more.
  void stop_child() {
    int how = 0;
    ASSERT_EQ(::kill(child_, SIGSTOP), 0);
    ASSERT_EQ(::waitpid(child_, &how, WUNTRACED), child_);
    ASSERT_TRUE(WIFSTOPPED(how));
  }
  void end_child() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

  Status put_word(std::uint64_t* value, std::size_t index, Watch& watch) {
    const Piece piece = piece_of(value, Memory::word_offset(index), 8);
    return (*side_.rank)->put(1, side_.its_memory, {&piece, 1}, &watch);
  }

  Side side_;
  std::vector<std::byte> address_;  // of the other
  pid_t child_ = -1;
};

}  // namespace polder::device::network
