// A rank's end of a fabric.
#include "device/sim/sim_device.hpp"

#include <memory>
#include <string>

namespace polder::device::sim {

Result<std::unique_ptr<Device>> Fabric::device(Rank rank) {
  Lock lock(mutex_);
  if (rank >= options_.ranks)
    return Status(Code::invalid_rank,
                  "sim: rank " + std::to_string(rank) + " of a fabric of " + std::to_string(options_.ranks));
  if (endpoints_[rank].attached)
    return Status(Code::exists, "sim: rank " + std::to_string(rank) + " has a device already");
  endpoints_[rank].attached = true;
  return std::unique_ptr<Device>(std::make_unique<SimDevice>(shared_from_this(), rank));
}

}  // namespace polder::device::sim
