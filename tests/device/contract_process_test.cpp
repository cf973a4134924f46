// The shared-memory device between processes, as the launcher makes them: what threads of one process cannot show.
#include "device/shm/shm_device.hpp"
#include "observers.hpp"
#include "util/fd.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace polder::device::contract {
namespace {

constexpr Rank kParent = 0, kChild = 1;

// What one process tells the other to begin with.
struct Card {
  std::uint32_t address_size = 0;
  std::byte address[1024] = {};
  Key memory;  // a Memory
  Key users;   // words that the user brought
};

// One of the two processes: its device, what it offers, and what the other offers.
struct Side {
  Rank me = 0, other = 0;
  util::Fd line;  // to the other process
  std::unique_ptr<Device> device;
  Exposure memory, users;
  Card card;  // of the other
  Region its_memory, its_users;
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(1000);

  Memory& mine() const { return *reinterpret_cast<Memory*>(memory.data); }
  Memory& its() const { return *reinterpret_cast<Memory*>(its_memory.direct); }
};

template <class T>
bool tell(Side& side, const T& value) {
  return ::write(side.line.get(), &value, sizeof value) == ssize_t(sizeof value);
}

// False if the other has not told it within ten seconds, or has ended.
template <class T>
bool hear(Side& side, T& value) {
  pollfd ready{side.line.get(), POLLIN, 0};
  return ::poll(&ready, 1, 10'000) == 1 &&
         ::recv(side.line.get(), &value, sizeof value, MSG_WAITALL) == ssize_t(sizeof value);
}

Status offer(Side& side, Card& card) {
  auto device = shm::ShmDevice::create(side.me, 2);
  if (!device.ok()) return device.status();
  side.device = *std::move(device);
  auto memory = side.device->expose(nullptr, sizeof(Memory));
  auto users = side.device->expose(side.words.data(), side.words.size() * 8);
  if (!memory.ok()) return memory.status();
  if (!users.ok()) return users.status();
  side.memory = *memory;
  side.users = *users;
  const auto address = side.device->address();
  card.address_size = std::uint32_t(address.size());
  std::copy(address.begin(), address.end(), card.address);
  card.memory = side.memory.key;
  card.users = side.users.key;
  return {};
}

Status reach(Side& side) {
  const Card& card = side.card;
  if (Status status = side.device->connect(side.other, {card.address, card.address_size}); !status.ok()) return status;
  auto memory = side.device->import(side.other, card.memory, nullptr);
  auto users = side.device->import(side.other, card.users, nullptr);
  if (!memory.ok()) return memory.status();
  if (!users.ok()) return users.status();
  side.its_memory = *memory;
  side.its_users = *users;
  return {};
}

Status meet(Side& side) {
  Card mine;
  if (Status status = offer(side, mine); !status.ok()) return status;
  if (!tell(side, mine) || !hear(side, side.card)) return {Code::peer_failed, "the other process has told nothing"};
  return reach(side);
}

class ContractProcess : public testing::Test {
 protected:
  ~ContractProcess() override { end_child(); }

  // Runs `child` in a process of its own and meets it. What it returns is the exit status of the process; 0: all is
  // well.
  void start(const std::function<int(Side&)>& child) {
    int lines[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lines), 0);
    side_.me = kParent;
    side_.other = kChild;
    side_.line = util::Fd(lines[0]);
    util::Fd line(lines[1]);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      ::alarm(20);
      ::close(lines[0]);
      Side side;
      side.me = kChild;
      side.other = kParent;
      side.line = std::move(line);
      ::_exit(meet(side).ok() ? child(side) : 100);
    }
    line = util::Fd();
    const Status status = meet(side_);
    ASSERT_TRUE(status.ok()) << status.to_string();
  }

  // Waits for the child, which ends by itself.
  void expect_good_end() {
    int how = 0;
    ASSERT_EQ(::waitpid(child_, &how, 0), child_);
    child_ = -1;
    EXPECT_TRUE(WIFEXITED(how)) << "signal " << WTERMSIG(how);
    EXPECT_EQ(WEXITSTATUS(how), 0) << "the step of the child that failed";
  }
  void end_child() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

  Side side_;
  pid_t child_ = -1;
};

TEST_F(ContractProcess, ShareDirectMemory) {
  start([](Side& side) {
    if (side.its_memory.direct == nullptr) return 1;
    if (!eventually([&] { return side.mine().flags[0].load(std::memory_order_acquire) == 7; })) return 2;
    if (side.mine().words[5] != 55) return 3;
    side.its().words[6] = 66;
    side.its().flags[1].store(8, std::memory_order_release);
    for (int i = 0; i < 10'000; ++i) side.its().words[9].fetch_add(1);
    char done = 0;
    return hear(side, done) ? 0 : 4;
  });
  ASSERT_FALSE(HasFatalFailure());
  side_.its().words[5] = 55;
  side_.its().flags[0].store(7, std::memory_order_release);
  for (int i = 0; i < 10'000; ++i) side_.mine().words[9].fetch_add(1);
  EXPECT_TRUE(eventually([&] { return side_.mine().flags[1].load(std::memory_order_acquire) == 8; }));
  EXPECT_EQ(side_.mine().words[6], 66u);
  EXPECT_TRUE(eventually([&] { return side_.mine().words[9] == 20'000; }));
  EXPECT_TRUE(tell(side_, 'd'));
  expect_good_end();
}

TEST_F(ContractProcess, RingEachOthersBells) {
  constexpr std::uint32_t kRounds = 200;
  const auto wait_for = [](Memory& memory, std::uint32_t value) {
    for (int tries = 0; tries < 5 && memory.flags[0].load(std::memory_order_acquire) < value; ++tries) {
      util::Bell::Listener listener(memory.bell);
      if (memory.flags[0].load() < value) listener.sleep(2'000'000'000);
    }
    return memory.flags[0].load(std::memory_order_acquire) == value;
  };
  const auto ring = [](Memory& memory, std::uint32_t value) {
    memory.flags[0].store(value, std::memory_order_release);
    memory.bell.ring();
  };
  const std::int64_t before = util::now_ns();
  start([&](Side& side) {
    for (std::uint32_t i = 1; i <= kRounds; ++i) {
      if (!wait_for(side.mine(), i)) return 1;
      ring(side.its(), i);
    }
    return 0;
  });
  ASSERT_FALSE(HasFatalFailure());
  for (std::uint32_t i = 1; i <= kRounds; ++i) {
    ring(side_.its(), i);
    ASSERT_TRUE(wait_for(side_.mine(), i)) << "round " << i;
  }
  EXPECT_LT(util::now_ns() - before, 2'000'000'000) << "a ring was missed";
  expect_good_end();
}

TEST_F(ContractProcess, ExchangeMessages) {
  constexpr std::uint32_t kMessages = 3000;
  // The child sends back what it gets, and waits in between.
  start([](Side& side) {
    struct Echo final : MessageSink {
      explicit Echo(Side& s) : side(s) {}
      void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) override {
        good = good && source == kParent &&
               eventually([&] { return side.device->send(kParent, handler, message, {}).ok(); });
        ++count;
      }
      Side& side;
      std::uint32_t count = 0;
      bool good = true;
    } echo(side);
    const std::int64_t end = util::now_ns() + 10'000'000'000;
    while (echo.count < kMessages && util::now_ns() < end)
      if (side.device->progress(echo) == 0) side.device->wait(1'000'000'000);
    return echo.count == kMessages && echo.good ? 0 : 1;
  });
  ASSERT_FALSE(HasFatalFailure());
  Mailbox box;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    const std::vector<std::byte> body(i % 700, std::byte(i));
    ASSERT_TRUE(eventually([&] {
      side_.device->progress(box);
      return side_.device->send(kChild, HandlerId(i), std::as_bytes(std::span(&i, 1)), body).ok();
    }));
  }
  ASSERT_TRUE(eventually([&] { return side_.device->progress(box), box.mail.size() >= kMessages; }));
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    ASSERT_EQ(box.mail[i].handler, HandlerId(i));
    ASSERT_EQ(box.mail[i].text.size(), 4 + i % 700);
  }
  expect_good_end();
}

TEST_F(ContractProcess, ReachMemoryOfTheUser) {
  start([](Side& side) {
    if (!eventually([&] { return side.mine().flags[2].load(std::memory_order_acquire) == 1; })) return 1;
    for (std::size_t i = 0; i < side.words.size(); ++i)
      if (std::atomic_ref(side.words[i]).load() != i + 1) return 2;
    side.device->conceal(side.users);
    side.its().flags[3].store(1, std::memory_order_release);
    char done = 0;
    return hear(side, done) ? 0 : 3;
  });
  ASSERT_FALSE(HasFatalFailure());
  if (!side_.its_users.put_get) GTEST_SKIP() << "the kernel refuses cross-memory attach";
  std::vector<std::uint64_t> source(1000), back(1000);
  std::vector<Piece> out, in;
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] = i + 1;
    out.push_back({reinterpret_cast<std::byte*>(&source[i]), i * 8, 8});
    in.push_back({reinterpret_cast<std::byte*>(&back[999 - i]), i * 8, 8});
  }
  Watch written, refused;
  ASSERT_TRUE(side_.device->put_notify(kChild, side_.its_users, out, side_.its_memory, Memory::flag(2), &written).ok());
  EXPECT_TRUE(written.wait().ok());
  ASSERT_TRUE(eventually([&] { return side_.mine().flags[3].load(std::memory_order_acquire) == 1; }));
  EXPECT_EQ(side_.device->get(kChild, side_.its_users, in, &refused).code(), Code::invalid_segment) << "concealed";
  EXPECT_EQ(side_.device->put(kChild, side_.its_users, out, &refused).code(), Code::invalid_segment) << "concealed";
  EXPECT_FALSE(refused.is_local() || refused.is_done());
  EXPECT_TRUE(tell(side_, 'd'));
  expect_good_end();
}

TEST_F(ContractProcess, SurviveTheDeathOfAPeer) {
  start([](Side& side) {
    side.mine().words[3] = 33;
    side.its().flags[0].store(1, std::memory_order_release);
    ::pause();
    return 1;
  });
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_TRUE(eventually([&] { return side_.mine().flags[0].load(std::memory_order_acquire) == 1; }));
  end_child();
  EXPECT_EQ(side_.its().words[3], 33u) << "direct memory lives on";
  side_.its().words[4] = 44;
  side_.its().bell.ring();
  EXPECT_EQ(side_.its().words[4], 44u);
  std::uint64_t value = 1;
  const Piece piece{reinterpret_cast<std::byte*>(&value), 0, 8};
  Watch refused;
  if (side_.its_users.put_get) {
    EXPECT_EQ(side_.device->put(kChild, side_.its_users, {&piece, 1}, &refused).code(), Code::peer_failed);
    EXPECT_EQ(side_.device->get(kChild, side_.its_users, {&piece, 1}, &refused).code(), Code::peer_failed);
    EXPECT_FALSE(refused.is_local() || refused.is_done());
  }
  bool full = false;
  for (int i = 0; i < 1'000'000 && !full; ++i)
    full = side_.device->send(kChild, 0, std::as_bytes(std::span(&value, 1)), {}).code() == Code::queue_full;
  EXPECT_TRUE(full) << "nobody reads, and no call waits for that";
}

TEST_F(ContractProcess, ThoseWhoAreDeadCannotBeMet) {
  start([](Side&) { return ::pause(), 1; });
  ASSERT_FALSE(HasFatalFailure());
  end_child();
  for (const Key& key : {side_.card.memory, side_.card.users})
    EXPECT_EQ(side_.device->import(kChild, key, nullptr).status().code(), Code::peer_failed);
  auto late = shm::ShmDevice::create(kParent, 2);
  ASSERT_TRUE(late.ok());
  const Status status = (*late)->connect(kChild, {side_.card.address, side_.card.address_size});
  EXPECT_EQ(status.code(), Code::peer_failed) << status.to_string();
}

}  // namespace
}  // namespace polder::device::contract
