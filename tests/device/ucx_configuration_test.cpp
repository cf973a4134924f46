// What the environment says of UCX, where it is wrong.
#include "device/ucx/configuration.hpp"
#include "device/ucx/ucx_device.hpp"
#include "util/environment.hpp"
#include "util/fd.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

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

// Two neighbouring ports on which this process listens already; UCX would draw from them for ever.
class TwoPorts {
 public:
  TwoPorts() {
    for (int tries = 0; tries < 100; ++tries) {
      first_ = listen_on(0);
      sockaddr_in name{};
      socklen_t bytes = sizeof name;
      if (::getsockname(first_.get(), reinterpret_cast<sockaddr*>(&name), &bytes) != 0) continue;
      port_ = ntohs(name.sin_port);
      if (port_ < 65535 && (second_ = listen_on(std::uint16_t(port_ + 1)))) return;
    }
  }
  explicit operator bool() const { return bool(second_); }
  std::string range() const { return std::to_string(port_) + "-" + std::to_string(port_ + 1); }

 private:
  static util::Fd listen_on(std::uint16_t port) {
    util::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    const bool listens = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
                         ::listen(socket.get(), 1) == 0;
    return listens ? std::move(socket) : util::Fd();
  }

  util::Fd first_, second_;
  std::uint16_t port_ = 0;
};

TEST(UcxConfiguration, ARangeWithoutAFreePortIsToldOf) {
  const TwoPorts taken;
  ASSERT_TRUE(taken) << "no neighbouring ports are free";
  const ScopedEnvironment range("UCX_TCP_PORT_RANGE", taken.range().c_str());
  auto device = create_device({.rank = 0, .size = 1, .secret = 1, .host = "here"});
  EXPECT_EQ(device.status().code(), Code::system);
  EXPECT_NE(device.status().message().find("UCX_TCP_PORT_RANGE"), std::string_view::npos)
      << device.status().to_string();
}

}  // namespace
}  // namespace polder::device::ucx
