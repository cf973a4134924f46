#include "peers/gloo/connected.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

namespace bench {
namespace {

constexpr std::chrono::seconds kPatience(120);
constexpr char kPattern[] = "/tmp/bench-gloo-XXXXXX";

// A new folder, whose name is told to all through the memory that they share.
std::string folder_of_all(SharedWorld& world) {
  auto* name = reinterpret_cast<char*>(world.memory());
  if (world.rank() == 0) {
    std::memcpy(name, kPattern, sizeof kPattern);
    if (mkdtemp(name) == nullptr) throw std::runtime_error("no folder in /tmp can be made");
  }
  world.barrier();
  return name;
}

// Of the first process; also where Gloo throws.
class Removed {
 public:
  Removed(const SharedWorld& world, std::string folder) : is_mine_(world.rank() == 0), folder_(std::move(folder)) {}
  ~Removed() {
    std::error_code ignored;
    if (is_mine_) std::filesystem::remove_all(folder_, ignored);
  }
  Removed(const Removed&) = delete;
  Removed& operator=(const Removed&) = delete;

 private:
  const bool is_mine_;
  const std::string folder_;
};

}  // namespace

std::shared_ptr<gloo::Context> connected_by_gloo(SharedWorld& world) {
  const std::string folder = folder_of_all(world);
  const Removed removed(world, folder);
  gloo::transport::tcp::attr loopback;
  loopback.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(loopback);
  gloo::rendezvous::FileStore store(folder);
  auto context = std::make_shared<gloo::rendezvous::Context>(world.rank(), world.size());
  context->setTimeout(kPatience);
  context->connectFullMesh(store, device);
  world.barrier();
  return context;
}

}  // namespace bench
