#include "common/report.hpp"
#include "wire/wire.hpp"

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

void stream(TcpWorld& world, const Arguments& arguments, std::size_t size) {
  std::vector<std::byte> data(size);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i)
      world.rank() == 0 ? world.send(data.data(), size) : world.receive(data.data(), size);
    world.barrier();  // all has arrived
  });
  if (world.rank() == 0) report({.name = "tcp_stream", .ranks = 2, .size = size, .samples = samples});
}

}  // namespace

void measure_ping_pong(TcpWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 4 << 10, 64 << 10})) {
    ping_pong(world, arguments, "tcp_ping_pong", size, &TcpWorld::receive);
    ping_pong(world, arguments, "tcp_ping_pong_polling", size, &TcpWorld::receive_polling);
  }
}

void measure_stream(TcpWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20}))
    stream(world, arguments, size);
}

}  // namespace bench
