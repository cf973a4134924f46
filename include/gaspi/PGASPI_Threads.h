/* The calls of GASPI_Threads.h under their second names, for tools; see PGASPI.h. */
#ifndef PGASPI_THREADS_H
#define PGASPI_THREADS_H

#include "GASPI_types.h"

#ifdef __cplusplus
extern "C" {
#endif

gaspi_return_t pgaspi_threads_init(gaspi_int* num);
gaspi_return_t pgaspi_threads_init_user(unsigned int num);
gaspi_return_t pgaspi_threads_run(void* (*function)(void*), void* argument);
gaspi_return_t pgaspi_threads_register(gaspi_int* tid);
gaspi_return_t pgaspi_threads_get_tid(gaspi_int* tid);
gaspi_return_t pgaspi_threads_get_total(gaspi_int* num);
gaspi_return_t pgaspi_threads_get_num_cores(gaspi_int* cores);
gaspi_return_t pgaspi_threads_sync(void);
gaspi_return_t pgaspi_threads_sync_all(gaspi_group_t group, gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_threads_term(void);

#ifdef __cplusplus
}
#endif

#endif
