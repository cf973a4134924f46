// Memory of the caller whose pages are missing: whoever fills them may have to communicate over the same device, and
// with the same peer, so no lock may be held while such memory is read. Skipped where the kernel has no userfaultfd for
// us.
#include "contract_fixture.hpp"
#include "util/fd.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>

namespace polder::device::contract {
namespace {

constexpr std::size_t kPage = 4096;

// Pages that come into being when `fill(page)` has returned their contents; called by a thread of this object.
class MissingPages {
 public:
  using Fill = std::function<std::byte(std::size_t page)>;

  MissingPages(std::size_t pages, Fill fill) : pages_(pages), fill_(std::move(fill)) {
    faults_ = util::Fd(int(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)));
    uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
    if (!faults_ || ::ioctl(faults_.get(), UFFDIO_API, &api) != 0) {
      refuse("userfaultfd");
      return;
    }
    memory_ =
        static_cast<std::byte*>(::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    uffdio_register range{};
    range.range = {.start = reinterpret_cast<std::uintptr_t>(memory_), .len = bytes()};
    range.mode = UFFDIO_REGISTER_MODE_MISSING;
    if (::ioctl(faults_.get(), UFFDIO_REGISTER, &range) != 0) {
      refuse("UFFDIO_REGISTER");
      return;
    }
    filler_ = std::thread([this] { serve(); });
  }
  ~MissingPages() {
    stopping_ = true;
    if (filler_.joinable()) filler_.join();
    if (memory_ != nullptr) ::munmap(memory_, bytes());
  }
  MissingPages(const MissingPages&) = delete;
  MissingPages& operator=(const MissingPages&) = delete;

  // Empty if all is well.
  const std::string& problem() const { return problem_; }
  std::byte* data() { return memory_; }
  int filled() const { return filled_; }

 private:
  std::size_t bytes() const { return pages_ * kPage; }
  void refuse(const char* what) { problem_ = std::string(what) + ": " + std::strerror(errno); }

  void serve() {
    while (!stopping_) {
      pollfd ready{faults_.get(), POLLIN, 0};
      uffd_msg message;
      if (::poll(&ready, 1, 20) != 1 || ::read(faults_.get(), &message, sizeof message) != sizeof message) continue;
      const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
      const std::size_t page = (message.arg.pagefault.address - begin) / kPage;
      std::array<std::byte, kPage> contents;
      contents.fill(fill_(page));
      uffdio_copy copy{};
      copy.dst = begin + page * kPage;
      copy.src = reinterpret_cast<std::uintptr_t>(contents.data());
      copy.len = kPage;
      ++filled_;
      ::ioctl(faults_.get(), UFFDIO_COPY, &copy);
    }
  }

  const std::size_t pages_;
  const Fill fill_;
  util::Fd faults_;
  std::string problem_;
  std::byte* memory_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::atomic<int> filled_{0};
  std::thread filler_;
};

// Rank 0 has such memory, and the contents of its pages lie with rank 1, who fetches them by rank 0's own device.
class MissingPagesTest : public OverDevices {
 protected:
  static constexpr std::size_t kPages = 16;
  static constexpr std::size_t kLarge = 80;  // pages, of which there are several parts

  void SetUp() override {
    if (std::string_view(GetParam().name).starts_with("sim"))
      GTEST_SKIP() << "the simulated network is memory of this process, which is copied under its own lock";
    OverDevices::SetUp();
    if (HasFatalFailure()) return;
    // A thread that fills pages says so before there are any that are missing.
    for (const Rank rank : {Rank{0}, Rank{1}}) const PageFiller announced(device(rank));
    source_ = expose(1, nullptr, sizeof(Memory));
    page_source_ = import(0, 1, source_);
    for (std::size_t i = 0; i < kLarge; ++i) contents().words[i] = i + 1;
    home_ = expose(1, nullptr, 8 * kLarge * kPage);
    region_ = import(0, 1, home_);
    if (const std::string problem = MissingPages(1, [](std::size_t) { return std::byte{}; }).problem();
        !problem.empty())
      GTEST_SKIP() << "the kernel has no missing pages for this process: " << problem;
  }
  void TearDown() override {
    stop_helpers();
    pages_.reset();
  }

  void have_pages(std::size_t count) {
    pages_.emplace(count, [this](std::size_t page) { return fetch(page); });
    ASSERT_EQ(pages_->problem(), "");
  }

  Memory& contents() const { return *reinterpret_cast<Memory*>(source_.data); }
  std::byte* page(std::size_t index) { return pages_->data() + index * kPage; }
  static std::byte content_of(std::size_t page) { return std::byte(page + 1); }

  // By the device whose caller waits for the page.
  std::byte fetch(std::size_t at) {
    const PageFiller filler(device(0));
    const std::size_t page = at % kLarge;
    std::uint64_t word = 0;
    if (page_source_.direct != nullptr) {
      word = reinterpret_cast<Memory*>(page_source_.direct)->words[page];
    } else {
      Watch watch;
      const Piece piece{reinterpret_cast<std::byte*>(&word), Memory::word_offset(page), sizeof word};
      EXPECT_TRUE(device(0).get(1, page_source_, {&piece, 1}, &watch).ok());
      EXPECT_TRUE(finish(0, watch).ok());
    }
    return std::byte(word);
  }

  void put_many(Rank without) {
    have_pages(8 * kLarge);
    start_helpers(without);
    Watch watch;
    const Piece piece{page(0), 0, 8 * kLarge * kPage};
    ASSERT_TRUE(device(0).put(1, region_, {&piece, 1}, &watch).ok());
    ASSERT_TRUE(finish(0, watch).ok());
    for (std::size_t i = 0; i < 8 * kLarge; ++i) ASSERT_EQ(home_.data[i * kPage + 1], content_of(i % kLarge)) << i;
    EXPECT_EQ(pages_->filled(), int(8 * kLarge));
  }

  void get_several(Rank without) {
    std::fill_n(home_.data, 8 * kLarge * kPage, std::byte{77});
    start_helpers(without);
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{2000}, 2 * kPage + 8, (kLarge - 2) * kPage}) {
      have_pages(kLarge);
      Watch watches[2];
      const Piece pieces[] = {{page(0) + 100, 0, bytes}, {page(kLarge - 1), 0, 8}};
      ASSERT_TRUE(device(0).get(1, region_, {&pieces[0], 1}, &watches[0]).ok());
      ASSERT_TRUE(device(0).get(1, region_, {&pieces[1], 1}, &watches[1]).ok());
      for (Watch& watch : watches) ASSERT_TRUE(finish(0, watch).ok());
      EXPECT_EQ(page(0)[99], content_of(0)) << "of what is beside it";
      EXPECT_EQ(page(0)[100], std::byte{77});
      EXPECT_EQ(page(0)[100 + bytes - 1], std::byte{77});
      EXPECT_EQ(page(0)[100 + bytes], content_of((100 + bytes) / kPage));
      EXPECT_EQ(page(kLarge - 1)[0], std::byte{77});
    }
  }

  Exposure source_, home_;
  Region page_source_, region_;
  std::optional<MissingPages> pages_;
};

TEST_P(MissingPagesTest, SmallPutsArePostedFromThem) {
  if (!region_.put_get) GTEST_SKIP() << "no puts go through this device";
  have_pages(kPages);
  start_helpers(0);
  for (std::size_t i = 0; i < kPages; ++i) {
    Watch watch;
    const Piece piece{page(i) + 8, i, 1};
    ASSERT_TRUE(device(0).put(1, region_, {&piece, 1}, &watch).ok());
    ASSERT_TRUE(finish(0, watch).ok());
    EXPECT_EQ(home_.data[i], content_of(i));
  }
  EXPECT_EQ(pages_->filled(), int(kPages));
}

TEST_P(MissingPagesTest, PutsOfManyPiecesAreToo) {
  if (!region_.put_get) GTEST_SKIP() << "no puts go through this device";
  have_pages(kPages);
  start_helpers(0);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < kPages; ++i) pieces.push_back({page(i), kPage * (i % 8), 2000});
  Watch watch;
  ASSERT_TRUE(device(0).put(1, region_, pieces, &watch).ok());
  ASSERT_TRUE(finish(0, watch).ok());
  EXPECT_EQ(pages_->filled(), int(kPages));
}

// The filler's thread and the one that waits are alone with the device.
TEST_P(MissingPagesTest, LargePutsArePostedFromThem) {
  if (!region_.put_get) GTEST_SKIP() << "no puts go through this device";
  put_many(0);
}

TEST_P(MissingPagesTest, LargePutsAreWithOthersToHelp) {
  if (!region_.put_get) GTEST_SKIP() << "no puts go through this device";
  put_many(kRanks);
}

TEST_P(MissingPagesTest, GetsLandOnThem) {
  if (!region_.put_get) GTEST_SKIP() << "no gets go through this device";
  get_several(0);
}

TEST_P(MissingPagesTest, GetsDoWithOthersToHelp) {
  if (!region_.put_get) GTEST_SKIP() << "no gets go through this device";
  get_several(kRanks);
}

TEST_P(MissingPagesTest, ResultsOfAtomicsLandOnThem) {
  if (!page_source_.atomics) GTEST_SKIP() << "no atomics go through this device";
  have_pages(kPages);
  start_helpers(0);
  for (std::size_t i = 0; i < kPages; ++i) {
    auto* const old = reinterpret_cast<std::uint64_t*>(page(i) + 64);
    Watch watch;
    const AtomicRequest request{.offset = Memory::word_offset(1000), .operand = 3, .old = old};
    ASSERT_TRUE(device(0).atomic(1, page_source_, request, &watch).ok());
    ASSERT_TRUE(finish(0, watch).ok());
    EXPECT_EQ(*old, 3 * i);
    EXPECT_EQ(page(i)[0], content_of(i));
  }
}

// What is offered is left alone, and peers reach it by a device that does not wait for its pages under a lock, or by
// messages, whose handlers run without one.
TEST_P(MissingPagesTest, TheyAreOfferedUntouched) {
  have_pages(kPages);
  start_helpers();
  const Exposure offered = expose(0, pages_->data(), kPages * kPage);
  const Region region = import(1, 0, offered);
  EXPECT_EQ(pages_->filled(), 0);
  if (region.put_get) {
    Watch written, read;
    std::byte mine[kPage] = {};
    const Piece to{mine, 5 * kPage + 8, 16}, from{mine, 7 * kPage, kPage};
    ASSERT_TRUE(device(1).put(0, region, {&to, 1}, &written).ok());
    ASSERT_TRUE(finish(1, written).ok());
    ASSERT_TRUE(device(1).get(0, region, {&from, 1}, &read).ok());
    ASSERT_TRUE(finish(1, read).ok());
    EXPECT_EQ(mine[9], content_of(7));
    EXPECT_EQ(page(5)[8], std::byte{});
    EXPECT_EQ(page(5)[0], content_of(5));
    EXPECT_EQ(pages_->filled(), 2);
  }
  stop_helpers();
  device(0).conceal(offered);
}

// As accumulates are done: the target's handler of messages adds to its memory.
class Adding final : public MessageSink {
 public:
  explicit Adding(std::byte* to) : to_(to) {}
  void deliver(Rank, HandlerId page, std::span<const std::byte> message) override {
    for (std::size_t i = 0; i < message.size(); ++i)
      to_[page * kPage + i] = std::byte(int(to_[page * kPage + i]) + int(message[i]));
    ++added_;
  }
  int added() const { return added_; }

 private:
  std::byte* const to_;
  std::atomic<int> added_{0};
};

TEST_P(MissingPagesTest, AccumulatesAreDoneOnThem) {
  have_pages(kPages);
  start_helpers(0);
  Adding target(pages_->data());
  const std::vector<std::byte> ten(100, std::byte{10});
  for (std::size_t i = 0; i < kPages; ++i) EXPECT_TRUE(device(1).send(0, HandlerId(i), {}, ten).ok());
  EXPECT_TRUE(eventually([&] {
    device(0).progress(target);
    return target.added() == int(kPages);
  }));
  for (std::size_t i = 0; i < kPages; ++i) {
    EXPECT_EQ(page(i)[0], std::byte(int(content_of(i)) + 10)) << i;
    EXPECT_EQ(page(i)[100], content_of(i)) << i;
  }
}

// Both ranks wait for pages that the other one has, behind large puts to each other.
TEST_P(MissingPagesTest, BothEndsMayWaitForEachOther) {
  if (!region_.put_get) GTEST_SKIP() << "no puts go through this device";
  const Exposure mine = expose(0, nullptr, kLarge * kPage);
  const Region back = import(1, 0, mine);
  std::fill_n(mine.data, kLarge * kPage, std::byte{5});
  have_pages(kLarge);
  MissingPages others(kLarge, [&](std::size_t page) {
    const PageFiller filler(device(1));
    std::byte byte{};
    Watch watch;
    const Piece piece{&byte, page, 1};
    EXPECT_TRUE(device(1).get(0, back, {&piece, 1}, &watch).ok());
    EXPECT_TRUE(finish(1, watch).ok());
    return byte;
  });
  Watch there, here;
  const Piece to{page(0), 0, kLarge * kPage}, from{others.data(), 0, kLarge * kPage};
  std::thread other([&] {
    EXPECT_TRUE(device(1).put(0, back, {&from, 1}, &here).ok());
    NoMail none;
    EXPECT_TRUE(finish(1, here).ok());
    EXPECT_TRUE(eventually([&] { return device(1).progress(none), there.is_done(); }));
  });
  EXPECT_TRUE(device(0).put(1, region_, {&to, 1}, &there).ok());
  // Until both have it: without helpers each serves the other, too.
  NoMail none;
  EXPECT_TRUE(finish(0, there).ok());
  EXPECT_TRUE(eventually([&] { return device(0).progress(none), here.is_done(); }));
  other.join();
  EXPECT_EQ(home_.data[kPage], content_of(1));
  EXPECT_EQ(mine.data[kPage], std::byte{5});
}

TEST_P(MissingPagesTest, MessagesAreSentFromThem) {
  have_pages(kPages);
  Mailbox heard;
  std::atomic<bool> stopping{false};
  std::thread target([&] {  // the one that takes messages
    while (!stopping) {
      device(1).progress(heard);
      device(1).wait(1'000'000);
    }
  });
  for (std::size_t i = 0; i < kPages; ++i) EXPECT_TRUE(device(0).send(1, 7, bytes_of("head"), {page(i), 100}).ok());
  NoMail none;
  EXPECT_TRUE(eventually([&] {
    device(0).progress(none);
    return device(1).capabilities().max_message != 0 && pages_->filled() == int(kPages);
  }));
  for (int i = 0; i < 200; ++i) {
    device(0).progress(none);
    std::this_thread::sleep_for(1ms);
  }
  stopping = true;
  device(1).wake();
  target.join();
  ASSERT_EQ(heard.mail.size(), kPages);
  for (std::size_t i = 0; i < kPages; ++i) EXPECT_EQ(heard.mail[i].text, "head" + std::string(100, char(i + 1))) << i;
}

INSTANTIATE_TEST_SUITE_P(Devices, MissingPagesTest, testing::ValuesIn(all_devices()),
                         device_name<testing::TestParamInfo<DeviceKind>>);

}  // namespace
}  // namespace polder::device::contract
