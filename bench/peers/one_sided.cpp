#include "common/alone.hpp"
#include "common/keep.hpp"
#include "peers/peers.hpp"
#include "peers/window.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace bench {
namespace {

constexpr int kTarget = 1;

// A window of `size` and the operations on it. The source lies in the window, too, as with Polder.
struct Pair {
  explicit Pair(std::size_t bytes) : window(bytes), size(int(bytes)) { std::memset(window.mine(), 1, bytes); }
  void put() const { MPI_Put(window.mine(), size, MPI_BYTE, kTarget, 0, size, MPI_BYTE, window.get()); }
  void get() const { MPI_Get(window.mine(), size, MPI_BYTE, kTarget, 0, size, MPI_BYTE, window.get()); }
  void flush() const { window.flush(kTarget); }
  void put_and_flush() const { put(), flush(); }
  void get_and_flush() const { get(), flush(); }

  Window window;
  int size;
};

const std::vector<std::size_t> kSmall = {8, 64, 512, 4 << 10, 64 << 10};
const std::vector<std::size_t> kLarge = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20};

}  // namespace

void measure_put(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kSmall)) {
    Pair pair(size);
    measure_alone(
        world, arguments, "put", size, [&] { pair.put(); }, [&] { pair.flush(); });
    measure_alone(
        world, arguments, "put_flush", size, [&] { pair.put_and_flush(); }, [] {});
    if (!pair.window.shared()) continue;
    std::byte* target = pair.window.of(kTarget);
    const auto store = [&] {
      std::memcpy(target, pair.window.mine(), size);
      keep(target);
    };
    measure_alone(world, arguments, "put_by_stores", size, store, [] {});
  }
}

void measure_get(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kSmall)) {
    Pair pair(size);
    measure_alone(
        world, arguments, "get", size, [&] { pair.get_and_flush(); }, [] {});
  }
}

void measure_bandwidth(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kLarge)) {
    Pair pair(size);
    measure_alone(
        world, arguments, "put_bandwidth", size, [&] { pair.put_and_flush(); }, [] {});
    measure_alone(
        world, arguments, "get_bandwidth", size, [&] { pair.get_and_flush(); }, [] {});
  }
}

void measure_stream(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kLarge)) {
    Pair pair(size);
    measure_streaming(
        world, arguments, "put_stream", size, [&] { pair.put(); }, [&] { pair.flush(); });
    measure_streaming(
        world, arguments, "get_stream", size, [&] { pair.get(); }, [&] { pair.flush(); });
  }
}

}  // namespace bench
