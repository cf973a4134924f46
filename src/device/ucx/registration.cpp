#include "device/ucx/registration.hpp"

#include "device/ucx/configuration.hpp"

namespace polder::device::ucx {

Registration::~Registration() {
  if (memory_ != nullptr) ucp_mem_unmap(context_, memory_);
}

Result<Registration> Registration::make(ucp_context_h context, void* memory, std::size_t size) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = memory;
  params.length = size;
  Registration made;
  if (const ucs_status_t status = ucp_mem_map(context, &params, &made.memory_); status != UCS_OK) {
    made.memory_ = nullptr;
    return ucx_error("registering memory", status);
  }
  made.context_ = context;
  void* packed = nullptr;
  std::size_t bytes = 0;
  if (const ucs_status_t status = ucp_rkey_pack(context, made.memory_, &packed, &bytes); status != UCS_OK)
    return ucx_error("making a key for memory", status);
  const auto* first = static_cast<const std::byte*>(packed);
  made.key_.assign(first, first + bytes);
  ucp_rkey_buffer_release(packed);
  return made;
}

}  // namespace polder::device::ucx
