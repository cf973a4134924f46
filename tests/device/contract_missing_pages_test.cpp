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

// Rank 0 posts from such memory to rank 1, where the contents of its pages lie.
class MissingPagesTest : public OverDevices {
 protected:
  static constexpr std::size_t kPages = 16;

  void SetUp() override {
    if (std::string_view(GetParam().name).starts_with("sim"))
      GTEST_SKIP() << "the simulated network is memory of this process, which is copied under its own lock";
    OverDevices::SetUp();
    if (HasFatalFailure()) return;
    home_ = expose(1, nullptr, sizeof(Memory));
    region_ = import(0, 1, home_);
    for (std::size_t i = 0; i < kPages; ++i) home().words[i] = i + 1;
    pages_.emplace(kPages, [this](std::size_t page) { return fetch(page); });
    if (!pages_->problem().empty())
      GTEST_SKIP() << "the kernel has no missing pages for this process: " << pages_->problem();
  }
  void TearDown() override {
    stop_helpers();
    pages_.reset();
  }

  Memory& home() const { return *reinterpret_cast<Memory*>(home_.data); }

  // By the device whose caller waits for the page.
  std::byte fetch(std::size_t page) {
    std::uint64_t word = 0;
    if (region_.direct != nullptr) {
      word = reinterpret_cast<Memory*>(region_.direct)->words[page];
    } else {
      Watch watch;
      const Piece piece{reinterpret_cast<std::byte*>(&word), Memory::word_offset(page), sizeof word};
      EXPECT_TRUE(device(0).get(1, region_, {&piece, 1}, &watch).ok());
      EXPECT_TRUE(finish(0, watch).ok());
    }
    return std::byte(word);
  }

  Exposure home_;
  Region region_;
  std::optional<MissingPages> pages_;
};

TEST_P(MissingPagesTest, SmallPutsArePostedFromThem) {
  if (!region_.put_get) GTEST_SKIP() << "no puts go through this device";
  start_helpers(0);
  for (std::size_t i = 0; i < kPages; ++i) {
    Watch watch;
    const Piece piece{pages_->data() + i * kPage + 8, Memory::word_offset(1000 + i), 8};
    ASSERT_TRUE(device(0).put(1, region_, {&piece, 1}, &watch).ok());
    ASSERT_TRUE(finish(0, watch).ok());
    EXPECT_EQ(home().words[1000 + i], (i + 1) * 0x0101010101010101u);
  }
  EXPECT_EQ(pages_->filled(), int(kPages));
}

TEST_P(MissingPagesTest, PutsOfManyPiecesAreToo) {
  if (!region_.put_get) GTEST_SKIP() << "no puts go through this device";
  start_helpers(0);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < kPages; ++i)
    pieces.push_back({pages_->data() + i * kPage, Memory::word_offset(500 * (i % 8)), 2000});
  Watch watch;
  ASSERT_TRUE(device(0).put(1, region_, pieces, &watch).ok());
  ASSERT_TRUE(finish(0, watch).ok());
  EXPECT_EQ(pages_->filled(), int(kPages));
}

TEST_P(MissingPagesTest, MessagesAreSentFromThem) {
  Mailbox heard;
  std::atomic<bool> stopping{false};
  std::thread target([&] {  // the one that takes messages
    while (!stopping) {
      device(1).progress(heard);
      device(1).wait(1'000'000);
    }
  });
  for (std::size_t i = 0; i < kPages; ++i)
    EXPECT_TRUE(device(0).send(1, 7, bytes_of("head"), {pages_->data() + i * kPage, 100}).ok());
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
