#include "core/attach.hpp"

#include "bootstrap/local/attach.hpp"
#include "core/options.hpp"
#include "device/shm/shm_device.hpp"

namespace polder::core {

Result<EngineParts> attach() {
  auto bootstrap = bootstrap::local::attach_from_environment();
  if (!bootstrap.ok()) return std::move(bootstrap).status();
  const std::string wanted = device_option();
  if (wanted != "auto" && wanted != "shm")
    return Status(Code::invalid_argument, "there is no device '" + wanted + "' (POLDER_DEVICE); there is: shm");
  const bootstrap::Job& job = (*bootstrap)->job();
  auto device = device::shm::ShmDevice::create(job.rank, job.size);
  if (!device.ok()) return std::move(device).status();
  return EngineParts{*std::move(bootstrap), *std::move(device)};
}

}  // namespace polder::core
