// GASPI 17.1, section 7.4, and the extensions: which segments there are.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/life/context.hpp"

#include <algorithm>

using namespace polder;
using namespace polder::gaspi;

extern "C" {

gaspi_return_t pgaspi_segment_num(gaspi_number_t* segment_num) {
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_segment_num");
  if (segment_num == nullptr) return refuse_null("gaspi_segment_num", "segment_num");
  return guarded("gaspi_segment_num", [&] {
    *segment_num = gaspi_number_t(context->segments.ids().size());
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(segment_num);

gaspi_return_t pgaspi_segment_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_list) {
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_segment_list");
  if (segment_id_list == nullptr) return refuse_null("gaspi_segment_list", "segment_id_list");
  return guarded("gaspi_segment_list", [&] {
    const auto ids = context->segments.ids();
    if (num > ids.size()) {
      return refuse(GASPI_ERR_INV_NUM, "gaspi_segment_list", "the number must not exceed gaspi_segment_num", num);
    }
    std::copy_n(ids.begin(), num, segment_id_list);
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(segment_list);

gaspi_return_t pgaspi_segment_ptr(gaspi_segment_id_t segment_id, gaspi_pointer_t* pointer) {
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_segment_ptr");
  if (pointer == nullptr) return refuse_null("gaspi_segment_ptr", "pointer");
  std::byte* const data = context->segments.data(segment_id);
  if (data == nullptr)
    return refuse(GASPI_ERR_INV_SEG, "gaspi_segment_ptr", "the local segment must exist", segment_id);
  *pointer = data;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(segment_ptr);

gaspi_return_t pgaspi_segment_avail_local(gaspi_segment_id_t* available_segment_id) {
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_segment_avail_local");
  if (available_segment_id == nullptr) return refuse_null("gaspi_segment_avail_local", "available_segment_id");
  const auto code = context->segments.lowest_free(*available_segment_id, context->config.segment_max);
  return code == GASPI_SUCCESS ? code : refuse(code, "gaspi_segment_avail_local", "segment_max segments exist");
}
POLDER_WEAK_ALIAS(segment_avail_local);

gaspi_return_t pgaspi_segment_size(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_size_t* size) {
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_segment_size");
  if (size == nullptr) return refuse_null("gaspi_segment_size", "size");
  const Waiting waiting;
  const auto segment = context->runtime().remote_segment(rank, segment_id, to_timeout(context->config.sn_timeout));
  if (!segment.ok()) return failed(segment.status());
  *size = segment->size;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(segment_size);

}  // extern "C"
