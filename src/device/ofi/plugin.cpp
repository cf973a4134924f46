// The door by which core/engine/plugin comes in.
#include "device/plugin.hpp"

#include "device/ofi/ofi_device.hpp"
#include "device/ofi/options.hpp"

#include <polder/export.hpp>

extern "C" POLDER_API void polder_create_device(const polder::device::Setup& setup,
                                                polder::Result<std::unique_ptr<polder::device::Device>>& device) {
  device = polder::device::ofi::create_device(setup);
}

// For `polder info`: what can be set for this plug-in.
extern "C" POLDER_API void polder_plugin_options(std::span<const polder::util::Option>& options) {
  options = polder::device::ofi::options();
}
