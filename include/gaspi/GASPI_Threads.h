/* Deprecated helpers for programs with a fixed number of threads a rank. New programs bring threads of their own: every
 * call of GASPI may be made from any of them.
 *
 * One thread says how many there will be (init), starts them one by one (run) and may take part itself; each that takes
 * part registers and gets a number. Any of this may happen before gaspi_proc_init. Calls other than init and
 * get_num_cores give GASPI_ERR_NOINIT before init and after term.
 */
#ifndef GASPI_THREADS_H
#define GASPI_THREADS_H

#include "GASPI_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As many threads as this process may use cores; stores their number. GASPI_ERR_INITED: done before. */
gaspi_return_t gaspi_threads_init(gaspi_int* num);
/* GASPI_ERR_INV_NUM: not 1 to 65536. */
gaspi_return_t gaspi_threads_init_user(unsigned int num);
/* Starts one thread that calls `function(argument)`; what it returns is dropped. GASPI_ERR_INV_NUM: as many as there
 * may be run already. */
gaspi_return_t gaspi_threads_run(void* (*function)(void*), void* argument);
/* Gives the calling thread the lowest free number, 0 to total-1; a second call gives the same. The number of a thread
 * that was started by gaspi_threads_run is free again when it ends. GASPI_ERR_INV_NUM: all are taken. */
gaspi_return_t gaspi_threads_register(gaspi_int* tid);
/* GASPI_ERR_NOINIT: this thread has not registered. */
gaspi_return_t gaspi_threads_get_tid(gaspi_int* tid);
gaspi_return_t gaspi_threads_get_total(gaspi_int* num);
gaspi_return_t gaspi_threads_get_num_cores(gaspi_int* cores); /* any time; those that this process may use */
/* Waits until `total` threads of this rank have called it. */
gaspi_return_t gaspi_threads_sync(void);
/* A gaspi_threads_sync that includes a gaspi_barrier of `group`, whose outcome all threads get. GASPI_TIMEOUT, of all or
 * of one that had less time: call again. */
gaspi_return_t gaspi_threads_sync_all(gaspi_group_t group, gaspi_timeout_t timeout_ms);
/* Waits for the threads that were started; gaspi_threads_init may follow. GASPI_ERROR: called by one of them. */
gaspi_return_t gaspi_threads_term(void);

#ifdef __cplusplus
}
#endif

#endif
