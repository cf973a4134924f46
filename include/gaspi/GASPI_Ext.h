/* Calls beyond the GASPI standard that programs use. The rules of GASPI.h hold here too. */
#ifndef GASPI_EXT_H
#define GASPI_EXT_H

#include "GASPI_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- any time ---- */

gaspi_return_t gaspi_initialized(
    gaspi_number_t* initialized);                          /* 1 between gaspi_proc_init and gaspi_proc_term, else 0 */
gaspi_string_t gaspi_error_str(gaspi_return_t error_code); /* the text of gaspi_print_error */
/* A sentence about the last error that a call returned to the calling thread: which argument, which value. Empty if
   there was none; valid until the next error of this thread. An extension of Polder. */
gaspi_string_t gaspi_error_detail(void);
gaspi_return_t gaspi_cpu_frequency(gaspi_float* frequency_mhz);
/* Where this thread runs, if the ranks were bound to NUMA nodes: started by `gaspi_run -N`, or with
   GASPI_SET_NUMA_SOCKET=1. GASPI_ERR_ENV: they were not. */
gaspi_return_t gaspi_numa_socket(gaspi_uchar* socket);
gaspi_return_t gaspi_set_socket_affinity(gaspi_uchar socket); /* binds this thread; GASPI_ERR_INV_NUM: no such socket */
void gaspi_print_affinity_mask(void);                         /* of this thread, to standard output */
void gaspi_delay(void); /* lets others on this core run for a moment, in loops that poll */
void gaspi_printf(const char* format, ...) /* to standard output, behind host and rank, in one piece */;

/* ---- processes ---- */

/* To the standard output of `rank`. A text for a rank that is gone, or for no rank, is dropped. */
void gaspi_printf_to(gaspi_rank_t rank, const char* format, ...);
gaspi_return_t gaspi_proc_local_rank(gaspi_rank_t* local_rank); /* among the ranks of this machine */
gaspi_return_t gaspi_proc_local_num(gaspi_rank_t* local_num);
gaspi_return_t gaspi_proc_ping(gaspi_rank_t rank, gaspi_timeout_t timeout_ms); /* GASPI_SUCCESS: it answers */

/* ---- segments ---- */

/* The lowest id that is free. GASPI_ERR_MANY_SEG: gaspi_segment_max segments exist. */
gaspi_return_t gaspi_segment_avail_local(gaspi_segment_id_t* available_segment_id);
/* Waits for a remote rank no longer than sn_timeout of the configuration. */
gaspi_return_t gaspi_segment_size(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_size_t* size);

/* ---- limits ---- */

gaspi_return_t gaspi_rw_list_elem_max(gaspi_number_t* elem_max);
gaspi_return_t gaspi_transfer_size_min(gaspi_size_t* transfer_size_min);
gaspi_return_t gaspi_passive_transfer_size_min(gaspi_size_t* transfer_size_min);

#ifdef __cplusplus
}
#endif

#endif
