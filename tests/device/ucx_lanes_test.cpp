// Where memory can be reached: what UCX prints about an endpoint, and what the host has.
#include "device/ucx/host_networks.hpp"
#include "device/ucx/lanes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace polder::device::ucx {
namespace {

constexpr std::string_view kTcp =
    "# UCP endpoint\n"
    "#                 lane[0]:  1:tcp/eth0.0 md[1]  -> md[1]/tcp/sysdev[255] am am_bw#0 wireup\n"
    "#                 am_send: 0..<egr/short>..8185..<rndv>..(inf)\n"
    "#                  rma_bw: mds rndv_rkey_size 9\n";
constexpr std::string_view kCard =
    "# UCP endpoint\n"
    "#                 lane[0]:  3:rc_verbs/mlx5_0:1.0 md[2]  -> md[2]/ib/sysdev[0] rma_bw#0 am\n"
    "#                 lane[1]:  1:tcp/eth0.0 md[1]  -> md[1]/tcp/sysdev[255] keepalive\n"
    "#                  put[0]: 0..<short>..172..<bcopy>..1023..<zcopy>..(inf)\n"
    "#                  get[0]: 0..<bcopy>..8191..<zcopy>..(inf)\n";

TEST(UcxLanes, TcpReachesNoMemory) {
  EXPECT_TRUE(only_tcp(kTcp));
  EXPECT_FALSE(reaches_memory(kTcp));
}

TEST(UcxLanes, ACardReachesMemory) {
  EXPECT_FALSE(only_tcp(kCard));
  EXPECT_TRUE(reaches_memory(kCard));
}

TEST(UcxLanes, NothingIsKnownOfAnEmptyText) {
  EXPECT_FALSE(only_tcp(""));
  EXPECT_FALSE(reaches_memory(""));
}

TEST(UcxLanes, OnlyCardsThatMayBeUsedCount) {
  char name[] = "/tmp/polder-cards-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  EXPECT_FALSE(may_reach_memory("", name)) << "there is none";
  std::filesystem::create_directory(std::string(name) + "/mlx5_1");
  EXPECT_TRUE(may_reach_memory("", name));
  EXPECT_TRUE(may_reach_memory("all", name));
  EXPECT_TRUE(may_reach_memory("eth0,mlx5_1:1", name));
  EXPECT_FALSE(may_reach_memory("eth0,mlx5_10:1", name));
  std::filesystem::remove_all(name);
  EXPECT_FALSE(may_reach_memory("", name)) << "a host without that folder";
}

}  // namespace
}  // namespace polder::device::ucx
