#include "common/report.hpp"
#include "wire/wire.hpp"

#include <algorithm>
#include <vector>

namespace bench {
namespace {

using Receive = void (TcpWorld::*)(std::byte*, std::size_t);

void ping_pong(TcpWorld& world, const Arguments& arguments, const char* name, std::size_t size, Receive receive) {
  std::vector<std::byte> data(size);
  auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (world.rank() == 0) world.send(data.data(), size);
      (world.*receive)(data.data(), size);
      if (world.rank() == 1) world.send(data.data(), size);
    }
  });
  for (double& ns : samples) ns /= 2;  // there and back
  if (world.rank() == 0) report({.name = name, .ranks = 2, .size = size, .samples = samples});
}

// In pieces, as programs do that want to be fast: one call for megabytes is slower by half.
constexpr std::size_t kPiece = 128 << 10;

void stream(TcpWorld& world, const Arguments& arguments, const char* name, std::size_t size, Receive receive) {
  std::vector<std::byte> data(size);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i)
      for (std::size_t at = 0; at < size; at += kPiece) {
        const std::size_t bytes = std::min(kPiece, size - at);
        world.rank() == 0 ? world.send(data.data() + at, bytes) : (world.*receive)(data.data() + at, bytes);
      }
    world.barrier();  // all has arrived
  });
  if (world.rank() == 0) report({.name = name, .ranks = 2, .size = size, .samples = samples});
}

}  // namespace

void measure_ping_pong(TcpWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 4 << 10, 64 << 10})) {
    ping_pong(world, arguments, "tcp_ping_pong", size, &TcpWorld::receive);
    ping_pong(world, arguments, "tcp_ping_pong_polling", size, &TcpWorld::receive_polling);
  }
}

void measure_stream(TcpWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20})) {
    stream(world, arguments, "tcp_stream", size, &TcpWorld::receive);
    stream(world, arguments, "tcp_stream_polling", size, &TcpWorld::receive_polling);
  }
}

}  // namespace bench
