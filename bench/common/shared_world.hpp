// Processes that share pages: the ranks of the raw measurements, with nothing between them and the hardware,
// and of peers that have no launcher.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace bench {

// One process's view of the group. The World of sampling.hpp.
class SharedWorld {
 public:
  // The head of the shared pages; all zeros is its first state.
  struct Control {
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) std::atomic<std::uint32_t> epoch;
    alignas(64) std::uint64_t told;
    alignas(64) std::atomic<std::uint64_t> largest;
  };

  SharedWorld(Control& control, std::byte* memory, int rank, int size)
      : control_(control), memory_(memory), rank_(rank), size_(size) {}

  int rank() const { return rank_; }
  int size() const { return size_; }
  std::byte* memory() const { return memory_; }  // shared by all, starts on a page

  void barrier();
  std::uint64_t from_zero(std::uint64_t value);
  std::uint64_t largest(std::uint64_t value);

 private:
  Control& control_;
  std::byte* memory_;
  int rank_;
  int size_;
};

// In place of a core: where the kernel likes.
inline constexpr int kAnyCore = -1;

// Forks one process per element of `cores`, pinned there, runs `body` in each and waits for all. `memory_bytes` is what
// they share beside the barrier: zeroed pages of a memory file, as Polder's segments are. Ends the program with a
// message, and the other processes with it, if one fails or takes longer than `seconds`.
void run_processes(const std::vector<int>& cores, std::size_t memory_bytes,
                   const std::function<void(SharedWorld&)>& body, unsigned seconds = 120);

// Zeroed pages of a memory file, shared, every page touched. They stay until the program ends.
std::byte* shared_pages(std::size_t bytes);

}  // namespace bench
