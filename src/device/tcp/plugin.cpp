// The door by which core/engine/plugin comes in.
#include "device/plugin.hpp"

#include "device/tcp/options.hpp"
#include "device/tcp/tcp_device.hpp"

#include <polder/export.hpp>

extern "C" POLDER_API void polder_create_device(const polder::device::Setup& setup,
                                                polder::Result<std::unique_ptr<polder::device::Device>>& device) {
  device = polder::device::tcp::create_device(setup);
}

// For `polder info`: what can be set for this plug-in.
extern "C" POLDER_API void polder_plugin_options(std::span<const polder::util::Option>& options) {
  options = polder::device::tcp::options();
}
