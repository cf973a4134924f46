#include "api/gaspi/life/peer_check.hpp"

#include "api/gaspi/base/error.hpp"
#include "api/gaspi/life/context.hpp"

namespace polder::gaspi {

gaspi_return_t check_rank(const char* operation, const Context* context, gaspi_rank_t rank) {
  if (context == nullptr) return refuse_before_init(operation);
  if (rank >= context->size())
    return refuse(GASPI_ERR_INV_RANK, operation, "the rank must be below gaspi_proc_num", rank);
  return GASPI_SUCCESS;
}

gaspi_return_t check_alive(const char* operation, const Context* context, gaspi_rank_t rank) {
  if (const auto code = check_rank(operation, context, rank); code != GASPI_SUCCESS) return code;
  if (context->runtime().health(rank) == Health::healthy) return GASPI_SUCCESS;
  return refuse(GASPI_ERROR, operation, "the rank must be alive", rank);
}

}  // namespace polder::gaspi
