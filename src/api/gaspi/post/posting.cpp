#include "api/gaspi/post/posting.hpp"

#include <cstdio>

namespace polder::gaspi {

gaspi_return_t refuse_range(gaspi_return_t code, const char* operation, gaspi_segment_id_t segment,
                            gaspi_offset_t offset, gaspi_size_t size) {
  if (code == GASPI_ERR_INV_SEG) return refuse(code, operation, "the local segment must exist", segment);
  char text[160];
  std::snprintf(text, sizeof text, "%lu bytes at offset %lu leave the local segment %u", size, offset,
                unsigned(segment));
  return refuse(code, operation, text);
}

gaspi_return_t refuse_size(const Context& context, const char* operation, gaspi_size_t size) {
  char text[128];
  std::snprintf(text, sizeof text, "the size must not exceed transfer_size_max = %lu", context.limits.transfer_size);
  return refuse(GASPI_ERR_INV_COMMSIZE, operation, text, size);
}

gaspi_return_t settle(const Posting& posting, const Status& status) {
  const gaspi_return_t code = settle_further(posting, status);
  if (code != GASPI_SUCCESS && posting.request == nullptr) posting.queue->posted.take_back(posting.requests);
  return code;
}

gaspi_return_t settle_further(const Posting& posting, const Status& status) {
  if (lacks_room(status)) return in_trace(GASPI_TIMEOUT);
  if (status.code() != Code::peer_failed) return outcome(status);
  if (posting.request != nullptr)
    posting.request->lost = status;
  else
    posting.queue->lose(status);
  return GASPI_SUCCESS;
}

}  // namespace polder::gaspi
