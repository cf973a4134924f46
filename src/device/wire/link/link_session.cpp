#include "device/wire/link/link_session.hpp"

#include <sys/random.h>

namespace polder::device::wire {

std::uint64_t LinkSession::draw() {
  std::uint64_t number = 0;
  while (number == 0)
    if (::getrandom(&number, sizeof number, 0) != sizeof number) number = 0;
  return number;
}

}  // namespace polder::device::wire
