// The door by which core/plugin comes in.
#include "device/plugin.hpp"

#include "device/ucx/ucx_device.hpp"

#include <polder/export.hpp>

extern "C" POLDER_API void polder_create_device(const polder::device::Setup& setup,
                                                polder::Result<std::unique_ptr<polder::device::Device>>& device) {
  device = polder::device::ucx::UcxDevice::create(setup);
}
