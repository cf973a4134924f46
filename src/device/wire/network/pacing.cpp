#include "device/wire/network/pacing.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string_view>

namespace polder::device::wire {
namespace {

constexpr socklen_t kLongestName = 16;  // with its zero

bool choose(int socket, const std::string& name) {
  return ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), socklen_t(name.size())) == 0;
}

bool is_bbr(int socket) {
  char name[kLongestName] = {};
  socklen_t bytes = sizeof name - 1;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &bytes) == 0 &&
         std::string_view(name).starts_with("bbr");
}

}  // namespace

bool pace(int socket, const std::string& wish) {
  if (wish == "system") return true;
  if (wish != kCongestion.default_value) return choose(socket, wish);
  return !is_bbr(socket) || choose(socket, "cubic") || choose(socket, "reno");
}

}  // namespace polder::device::wire
