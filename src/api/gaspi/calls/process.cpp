// GASPI 17.1, sections 5.2 and 5.3: configuration and life of this process.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/life/context.hpp"

#include <chrono>
#include <thread>

using namespace polder;
using namespace polder::gaspi;

extern "C" {

gaspi_return_t pgaspi_config_get(gaspi_config_t* config) {
  if (config == nullptr) return refuse_null("gaspi_config_get", "config");
  *config = process().configuration();
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(config_get);

gaspi_return_t pgaspi_config_set(gaspi_config_t config) {
  return process().configure(config);
}
POLDER_WEAK_ALIAS(config_set);

gaspi_return_t pgaspi_proc_init(gaspi_timeout_t timeout_ms) {
  return guarded("gaspi_proc_init", [&] { return process().init(timeout_ms); });
}
POLDER_WEAK_ALIAS(proc_init);

gaspi_return_t pgaspi_proc_term(gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::proc_term, {});
  return guarded("gaspi_proc_term", [&] { return process().term(timeout_ms); });
}
POLDER_WEAK_ALIAS(proc_term);

gaspi_return_t pgaspi_initialized(gaspi_number_t* initialized) {
  if (initialized == nullptr) return refuse_null("gaspi_initialized", "initialized");
  *initialized = current() != nullptr ? 1 : 0;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(initialized);

gaspi_return_t pgaspi_proc_rank(gaspi_rank_t* rank) {
  const Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_proc_rank");
  if (rank == nullptr) return refuse_null("gaspi_proc_rank", "rank");
  *rank = gaspi_rank_t(context->rank());
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(proc_rank);

gaspi_return_t pgaspi_proc_num(gaspi_rank_t* proc_num) {
  const Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_proc_num");
  if (proc_num == nullptr) return refuse_null("gaspi_proc_num", "proc_num");
  *proc_num = gaspi_rank_t(context->size());
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(proc_num);

gaspi_return_t pgaspi_proc_local_rank(gaspi_rank_t* local_rank) {
  const Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_proc_local_rank");
  if (local_rank == nullptr) return refuse_null("gaspi_proc_local_rank", "local_rank");
  *local_rank = gaspi_rank_t(context->runtime().local_rank());
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(proc_local_rank);

gaspi_return_t pgaspi_proc_local_num(gaspi_rank_t* local_num) {
  const Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_proc_local_num");
  if (local_num == nullptr) return refuse_null("gaspi_proc_local_num", "local_num");
  *local_num = gaspi_rank_t(context->runtime().local_size());
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(proc_local_num);

}  // extern "C"
