#include "device/ucx/registration.hpp"

#include "device/ucx/configuration.hpp"

namespace polder::device::ucx {

UcxRegistration::~UcxRegistration() {
  ucp_mem_unmap(context_, memory_);
}

Result<std::unique_ptr<wire::Registration>> UcxRegistration::make(ucp_context_h context, void* memory,
                                                                  std::size_t size) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = memory;
  params.length = size;
  ucp_mem_h handle = nullptr;
  if (const ucs_status_t status = ucp_mem_map(context, &params, &handle); status != UCS_OK)
    return ucx_error("registering memory", status);
  std::unique_ptr<UcxRegistration> made(new UcxRegistration(context, handle));
  void* packed = nullptr;
  std::size_t bytes = 0;
  if (const ucs_status_t status = ucp_rkey_pack(context, handle, &packed, &bytes); status != UCS_OK)
    return ucx_error("making a key for memory", status);
  const auto* first = static_cast<const std::byte*>(packed);
  made->key_.assign(first, first + bytes);
  ucp_rkey_buffer_release(packed);
  return std::unique_ptr<wire::Registration>(std::move(made));
}

}  // namespace polder::device::ucx
