// Which providers of libfabric are used, and how.
#include "device/ofi/ofi_device.hpp"
#include "network_fixture.hpp"

#include <dirent.h>

namespace polder::device::ofi {
namespace {

using network::WithOption;

Result<std::unique_ptr<Device>> create() {
  return create_device({.rank = 0, .size = 1, .secret = 1, .host = "here"});
}

TEST(OfiProvider, OneThatDoesNotExistIsNamed) {
  const WithOption provider("POLDER_OFI_PROVIDER", "carrier-pigeon");
  const auto device = create();
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), Code::system);
  EXPECT_NE(device.status().message().find("carrier-pigeon"), std::string_view::npos) << device.status().to_string();
}

// Their sockets are made by threads of their own, or need no connection: nobody can look at it first.
TEST(OfiProvider, PortsThatCannotBeGuardedAreRefused) {
  for (const char* name : {"sockets", "udp;ofi_rxd"}) {
    const WithOption provider("POLDER_OFI_PROVIDER", name);
    const auto device = create();
    ASSERT_FALSE(device.ok()) << name;
    EXPECT_NE(device.status().message().find("POLDER_OFI_UNGUARDED"), std::string_view::npos)
        << device.status().to_string();
  }
}

int threads() {
  int count = 0;
  DIR* const folder = ::opendir("/proc/self/task");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

// One of its own would make sockets that the guard does not see.
TEST(OfiProvider, HasNoThreadsOfItsOwn) {
  const int before = threads();
  const auto device = create();
  ASSERT_TRUE(device.ok()) << device.status().to_string();
  EXPECT_EQ(threads(), before);
}

}  // namespace
}  // namespace polder::device::ofi
