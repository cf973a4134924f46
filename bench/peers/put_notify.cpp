#include "peers/peers.hpp"
#include "peers/window.hpp"

#include <atomic>
#include <cstring>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t kFlag = 0;     // offset of the flag in each rank's part of the window
constexpr std::size_t kData = 4096;  // and of the payload
constexpr int kLooks = 64;           // at the flag between two calls of MPI: too few would delay an MPI that needs none

// Ranks 0 and 1 take turns; `tell(turn)` and `await(turn)` are each rank's two halves. The others only keep company.
template <class Tell, class Await>
void take_turns(MpiWorld& world, const Arguments& arguments, const char* name, std::size_t size, Tell tell,
                Await await) {
  std::uint32_t turn = 0;
  auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations && world.rank() < 2; ++i) {
      ++turn;
      if (world.rank() == 0) tell(turn);
      await(turn);
      if (world.rank() == 1) tell(turn);
    }
  });
  for (double& ns : samples) ns /= 2;
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

// Some MPIs move one-sided data only while the target is inside a call of theirs.
void let_mpi_work() {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

struct Turns {
  Window& window;
  std::vector<std::byte>& payload;
  int other;

  std::atomic<std::uint32_t>& flag(std::byte* part) const {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(part + kFlag);
  }

  // The flag must not overtake the payload: hence a flush between them (MPI 3.1, section 11.7.2).
  void put(std::uint32_t turn) const {
    MPI_Put(payload.data(), int(payload.size()), MPI_BYTE, other, kData, int(payload.size()), MPI_BYTE, window.get());
    window.flush(other);
    MPI_Put(&turn, 1, MPI_UINT32_T, other, kFlag, 1, MPI_UINT32_T, window.get());
    window.flush(other);
  }
  void store(std::byte* part, std::uint32_t turn) const {
    std::memcpy(part + kData, payload.data(), payload.size());
    flag(part).store(turn, std::memory_order_release);
  }
  void await(std::uint32_t turn) const {
    for (int looks = 1; flag(window.mine()).load(std::memory_order_acquire) != turn; ++looks)
      if (looks % kLooks == 0) let_mpi_work();
  }
  void send(std::uint32_t turn) const {
    std::memcpy(payload.data(), &turn, sizeof turn);
    MPI_Send(payload.data(), int(payload.size()), MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
  void receive() const {
    MPI_Recv(payload.data(), int(payload.size()), MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
};

}  // namespace

void measure_put_notify(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 4 << 10, 64 << 10})) {
    std::vector<std::byte> payload(size);
    {
      Window window(kData + size);
      const Turns turns{window, payload, 1 - std::min(world.rank(), 1)};
      take_turns(
          world, arguments, "put_notify", size, [&](auto turn) { turns.put(turn); },
          [&](auto turn) { turns.await(turn); });
    }
    {
      Window window(kData + size);
      const Turns turns{window, payload, 1 - std::min(world.rank(), 1)};
      if (window.shared()) {
        std::byte* part = window.of(turns.other);
        take_turns(
            world, arguments, "put_notify_by_stores", size, [&](auto turn) { turns.store(part, turn); },
            [&](auto turn) { turns.await(turn); });
      }
      take_turns(
          world, arguments, "put_notify_by_message", size, [&](auto turn) { turns.send(turn); },
          [&](auto) { turns.receive(); });
    }
  }
}

}  // namespace bench
