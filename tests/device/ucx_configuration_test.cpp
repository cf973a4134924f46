// What the environment says of UCX, where it is wrong.
#include "device/ucx/configuration.hpp"
#include "util/environment.hpp"

#include <gtest/gtest.h>

namespace polder::device::ucx {
namespace {

using util::ScopedEnvironment;

// The outcome of reading the configuration with these devices.
Status outcome(const char* of_polder, const char* of_ucx) {
  const ScopedEnvironment polder("POLDER_UCX_DEVICES", of_polder), ucx("UCX_NET_DEVICES", of_ucx);
  auto config = configuration();
  if (config.ok()) ucp_config_release(*config);
  return config.status();
}

bool is_refused(const Status& status, const std::string& device, const std::string& variable) {
  return status.code() == Code::system && status.message().find("'" + device + "' (" + variable) != std::string::npos;
}

TEST(UcxConfiguration, NamesOfDevicesAreChecked) {
  EXPECT_TRUE(outcome(nullptr, nullptr).ok());
  EXPECT_TRUE(outcome("lo", nullptr).ok());
  EXPECT_TRUE(is_refused(outcome("lo,nothing0", nullptr), "nothing0", "POLDER_UCX_DEVICES"));
}

TEST(UcxConfiguration, AlsoThoseThatUcxWouldPassOver) {
  EXPECT_TRUE(outcome(nullptr, "all").ok());
  EXPECT_TRUE(outcome(nullptr, "lo").ok());
  EXPECT_TRUE(outcome(nullptr, "^nothing0").ok()) << "a pattern is left to UCX";
  EXPECT_TRUE(is_refused(outcome(nullptr, "nothing0:1"), "nothing0:1", "UCX_NET_DEVICES"));
  EXPECT_TRUE(outcome("lo", "nothing0").ok()) << "the first option goes before the second";
}

}  // namespace
}  // namespace polder::device::ucx
