// Segments of memory that the user brings, of any alignment. Shared memory reaches it by cross-memory attach or by
// message.
#include "core/direct/accumulate_direct.hpp"
#include "core/ranks.hpp"
#include "util/environment.hpp"
#include "util/platform.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>

namespace polder::test {
namespace {

struct Case {
  World world;
  const char* how;  // POLDER_SHM_USER_MEMORY
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const World& world : worlds({1, 2, 4})) {
    all.push_back({world, "auto"});
    if (world.device == SimulatedDevice::shm) all.push_back({world, "messages"});
  }
  return all;
}

class UserMemory : public testing::TestWithParam<Case> {
 protected:
  void run(const std::function<void(Runtime&)>& body) const {
    const util::ScopedEnvironment how("POLDER_SHM_USER_MEMORY", GetParam().how);
    run_ranks(GetParam().world.ranks, GetParam().world.options(), body);
  }
};
INSTANTIATE_TEST_SUITE_P(Cases, UserMemory, testing::ValuesIn(cases()),
                         [](const auto& made) { return name_of(made.param.world) + "_" + made.param.how; });

// `bytes` that lie `shift` bytes behind a multiple of 16.
class Buffer {
 public:
  Buffer(std::size_t bytes, std::size_t shift) : words_(bytes / 16 + 3), data_(words_[1].bytes + shift), size_(bytes) {}
  std::byte* data() { return data_; }
  std::span<const std::byte> view() const { return {data_, size_}; }

 private:
  struct alignas(16) Word {
    std::byte bytes[16];
  };
  std::vector<Word> words_;
  std::byte* data_;
  std::size_t size_;
};

constexpr std::size_t kBytes = 100'003;

TEST_P(UserMemory, PutAndGetAtAnyAlignment) {
  run([](Runtime& rt) {
    for (const std::size_t shift : {0, 1, 3, 8}) {
      Buffer buffer(kBytes, shift);
      auto segment = rt.create_segment({.size = kBytes, .id = 4, .memory = buffer.data()}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      EXPECT_EQ(segment->data, buffer.data());
      const auto source = noise(rt.rank() + shift, kBytes), arriving = noise(previous_of(rt) + shift, kBytes);
      ASSERT_TRUE(ok(rt.put_notify(source.data(), {next_of(rt), 4, 0}, kBytes, {.id = 1})));
      ASSERT_TRUE(ok(rt.wait_some(4, 1, 1, kPatience)));
      EXPECT_TRUE(std::equal(arriving.begin(), arriving.end(), buffer.data())) << "shift " << shift;
      std::vector<std::byte> back(kBytes);
      ASSERT_TRUE(ok(rt.fence(next_of(rt), kPatience)));  // a get may pass a put
      ASSERT_TRUE(ok(rt.get(back.data(), {next_of(rt), 4, 0}, kBytes)));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
      EXPECT_TRUE(back == source) << "shift " << shift;
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      ASSERT_TRUE(ok(rt.delete_segment(4)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
}

TEST_P(UserMemory, ManyPiecesAtOnce) {
  run([](Runtime& rt) {
    Buffer buffer(kBytes, 5);
    ASSERT_TRUE(ok(rt.create_segment({.size = kBytes, .id = 0, .memory = buffer.data()}, rt.world(), kPatience)));
    constexpr std::size_t kPieces = 600;  // more than a system call takes
    const std::size_t counts[] = {kPieces};
    const std::ptrdiff_t local[] = {3}, remote[] = {-150};
    const auto source = noise(rt.rank(), 3 * kPieces), arriving = noise(previous_of(rt), 3 * kPieces);
    const Strided strided{3, counts, local, remote};
    ASSERT_TRUE(ok(rt.put_notify(source.data(), {next_of(rt), 0, 99'000}, strided, {.id = 0})));
    ASSERT_TRUE(ok(rt.wait_some(0, 0, 1, kPatience)));
    std::vector<std::byte> expected(kBytes);
    for (std::size_t i = 0; i < kPieces; ++i)
      std::copy_n(arriving.begin() + std::ptrdiff_t(3 * i), 3, expected.begin() + 99'000 - std::ptrdiff_t(150 * i));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), buffer.data()));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

// Flags are words that are mapped, of any segment, and would be stored before the aggregate is posted.
TEST_P(UserMemory, FlagsDoNotOvertakeWhatIsKeptBack) {
  const auto raises = std::vector<std::function<Status(Runtime&)>>{
      [](Runtime& rt) { return rt.notify(next_of(rt), 4, {.id = 3}); },
      [](Runtime& rt) { return rt.notify(next_of(rt), 1, {.id = 3}); },
      [](Runtime& rt) {
        const std::uint64_t value = 1;
        return rt.put_notify(&value, {next_of(rt), 1, 0}, 8, {.id = 3}, Until::local);
      },
      [](Runtime& rt) {
        const std::uint64_t value = 1;
        return rt.put_notify(&value, {next_of(rt), 1, 0}, Shape(8), {.id = 3, .segment = 4}, Until::local);
      },
  };
  const SegmentId flagged[] = {4, 1, 1, 4};
  run([&](Runtime& rt) {
    Buffer buffer(64, 0);
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 1}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 4, .memory = buffer.data()}, rt.world(), kPatience)));
    Handle handle(Handle::Kind::aggregate);
    for (std::uint64_t round = 0; round < raises.size(); ++round) {
      const std::uint64_t value = 100 * round + rt.rank() + 1;
      ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 4, 8}, 8, handle)));
      ASSERT_TRUE(ok(raises[round](rt)));
      ASSERT_TRUE(ok(rt.wait_some(flagged[round], 3, 1, kPatience)));
      ASSERT_TRUE(ok(rt.reset(flagged[round], 3)));
      // Atomic for the thread sanitizer: it misses meetings at flags that each rank maps elsewhere.
      EXPECT_EQ(std::atomic_ref(*reinterpret_cast<std::uint64_t*>(buffer.data() + 8)).load(),
                100 * round + previous_of(rt) + 1)
          << "round " << round;
      ASSERT_TRUE(ok(rt.notify(previous_of(rt), 1, {.id = 5})));  // has looked: nobody waits for the handle before
      ASSERT_TRUE(ok(rt.wait_some(1, 5, 1, kPatience)));
      ASSERT_TRUE(ok(rt.reset(1, 5)));
      ASSERT_TRUE(ok(handle.wait(Completion::remote, kPatience)));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(UserMemory, AtomicsAndAccumulatesOnAlignedMemory) {
  if (util::kThreadSanitizer && GetParam().world.device == SimulatedDevice::shm)
    GTEST_SKIP() << "ranks meet at flags that each maps elsewhere, and the thread sanitizer misses the meeting";
  run([](Runtime& rt) {
    Buffer buffer(64'000, 8);
    ASSERT_TRUE(ok(rt.create_segment({.size = 64'000, .id = 0, .memory = buffer.data()}, rt.world(), kPatience)));
    const std::vector<std::int64_t> ones(7000, 1);
    for (int round = 0; round < 10; ++round) {
      for (Rank peer = 0; peer < rt.size(); ++peer) {
        ASSERT_TRUE(ok(rt.fetch_add({peer, 0, 8}, std::uint64_t{3}, kPatience)));
        ASSERT_TRUE(ok(rt.fetch_add({peer, 0, 4}, std::uint32_t{5}, kPatience)));
        ASSERT_TRUE(
            ok(rt.accumulate({.op = Reduction::sum, .type = DataType::int64}, ones.data(), {peer, 0, 16}, 7000 * 8)));
      }
    }
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    const auto* words = reinterpret_cast<const std::int64_t*>(buffer.data());
    const std::int64_t each = 10 * std::int64_t(rt.size());
    EXPECT_EQ(words[0], (each * 5) << 32);
    EXPECT_EQ(words[1], each * 3);
    for (std::size_t i = 0; i < 7000; ++i) ASSERT_EQ(words[2 + i], each);
    EXPECT_EQ(words[7002], 0);
  });
}

TEST_P(UserMemory, MisalignedElementsAreRefusedAndUnchanged) {
  if (util::kThreadSanitizer && GetParam().world.device == SimulatedDevice::shm)
    GTEST_SKIP() << "ranks meet at flags that each maps elsewhere, and the thread sanitizer misses the meeting";
  run([](Runtime& rt) {
    Buffer buffer(256, 4);
    ASSERT_TRUE(ok(rt.create_segment({.size = 256, .id = 0, .memory = buffer.data()}, rt.world(), kPatience)));
    const double value = 1;
    const std::complex<float> pair(1, 1);
    for (Rank peer = 0; peer < rt.size(); ++peer) {
      EXPECT_TRUE(fails(rt.fetch_add({peer, 0, 8}, std::uint64_t{1}, kPatience), Code::invalid_alignment, "memory"));
      if (!core::kUnalignedAccess) {
        EXPECT_TRUE(fails(rt.accumulate({}, &value, {peer, 0, 8}, 8), Code::invalid_alignment, "memory"));
      }
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_TRUE(std::ranges::all_of(buffer.view(), [](std::byte b) { return b == std::byte{0}; }));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.fetch_add({next_of(rt), 0, 8}, std::uint32_t{1}, kPatience))) << "4 bytes are aligned";
    ASSERT_TRUE(ok(rt.accumulate({.op = Reduction::sum, .type = DataType::complex64}, &pair, {next_of(rt), 0, 12}, 8)));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(buffer.data() + 8), 1u);
    EXPECT_EQ(*reinterpret_cast<const float*>(buffer.data() + 16), 1.0f);
  });
}

TEST_P(UserMemory, NothingReachesItAfterItsSegmentIsDeleted) {
  run([](Runtime& rt) {
    Buffer buffer(4096, 1);
    const std::vector<std::byte> ones(4096, std::byte{1});
    ASSERT_TRUE(ok(rt.create_segment({.size = 4096, .id = 0, .memory = buffer.data()}, rt.world(), kPatience)));
    ASSERT_TRUE(ok(rt.put(ones.data(), {next_of(rt), 0, 0}, 1)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.delete_segment(0)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    const Status posted = rt.put(ones.data(), {next_of(rt), 0, 0}, 4096);
    const Status done = rt.queue().wait(Completion::remote, kPatience);
    EXPECT_TRUE(fails(posted, Code::invalid_segment) || !done.ok()) << "either call tells of it";
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(buffer.view()[0], std::byte{1});
    EXPECT_EQ(buffer.view()[1], std::byte{0});
  });
}

// A peer's access would kill the owner.
TEST_P(UserMemory, MustBeThere) {
  run([](Runtime& rt) {
    constexpr std::size_t kPage = 4096;
    auto* pages =
        static_cast<std::byte*>(mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages, MAP_FAILED);
    ASSERT_EQ(mprotect(pages + kPage, kPage, PROT_NONE), 0);  // a hole would be filled by other ranks' threads
    ASSERT_EQ(mprotect(pages + 2 * kPage, kPage, PROT_READ), 0);
    const auto make = [&](std::byte* memory, std::size_t size) {
      return rt.create_segment({.size = size, .id = 3, .memory = memory});
    };
    EXPECT_TRUE(fails(make(pages, kPage + 1), Code::invalid_argument, "user memory")) << "the next page is not there";
    EXPECT_TRUE(fails(make(pages + kPage, 1), Code::invalid_argument));
    EXPECT_TRUE(fails(make(pages + 2 * kPage, 8), Code::invalid_argument)) << "only readable";
    EXPECT_TRUE(fails(make(reinterpret_cast<std::byte*>(8), 8), Code::invalid_argument));
    EXPECT_TRUE(ok(make(pages, kPage)));
    EXPECT_TRUE(ok(rt.delete_segment(3)));
    EXPECT_TRUE(ok(make(pages + 3 * kPage + 5, kPage - 5)));
    EXPECT_TRUE(ok(rt.delete_segment(3)));
    munmap(pages, 4 * kPage);
  });
}

// A segment that is bound anew takes the place of the one before, at its peers, too.
TEST_P(UserMemory, MayComeAndGoOften) {
  const auto mapped_grants = [] {
    std::ifstream maps("/proc/self/maps");
    int found = 0;
    for (std::string line; std::getline(maps, line);) found += line.find("polder-grant") != std::string::npos;
    return found;
  };
  int after_the_first = 0;
  run([&](Runtime& rt) {
    for (int round = 0; round < 20; ++round) {
      Buffer buffer(64, 0);
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0, .memory = buffer.data()}, rt.world(), kPatience)));
      ASSERT_TRUE(ok(rt.put("x", {next_of(rt), 0, 0}, 1, Until::remote)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      ASSERT_TRUE(ok(rt.delete_segment(0)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() != 0) continue;
      if (round == 0) after_the_first = mapped_grants();
      EXPECT_LE(mapped_grants(), after_the_first + int(rt.size())) << "those of the next round may be there";
    }
  });
}

}  // namespace
}  // namespace polder::test
