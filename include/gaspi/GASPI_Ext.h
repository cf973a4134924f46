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
/* GASPI_SUCCESS: it answers, or has answered a ping of this rank that timed out, whenever that was: ask again where the last one did
 * not get its answer in time. */
gaspi_return_t gaspi_proc_ping(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);

/* ---- segments ---- */

/* The lowest id that is free. GASPI_ERR_MANY_SEG: gaspi_segment_max segments exist. */
gaspi_return_t gaspi_segment_avail_local(gaspi_segment_id_t* available_segment_id);
/* Waits for a remote rank no longer than sn_timeout of the configuration. */
gaspi_return_t gaspi_segment_size(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_size_t* size);

/* ---- collectives ----

   Extensions of Polder, over any group that is committed. As with gaspi_allreduce, all members call with arguments that fit,
   one collective of a group at a time; after GASPI_TIMEOUT the call is made again with the same arguments, and until it
   has succeeded the buffers belong to it. Buffers lie anywhere, in a segment or not; there is no largest size. `root` is a
   rank of the job. GASPI_ERR_INV_RANK: it is no member. GASPI_ERR_ACTIVE_COLL: another collective of the group is under way.
   GASPI_ERROR: a member is dead, or made a call that does not fit; gaspi_error_detail names it. */

/* `size` bytes of the root's buffer, in everybody's. */
gaspi_return_t gaspi_bcast(gaspi_pointer_t buffer, gaspi_size_t size, gaspi_rank_t root, gaspi_group_t group,
                           gaspi_timeout_t timeout_ms);
/* As gaspi_allreduce, with the result at the root only; buffer_receive of others is not looked at. Any number of elements. */
gaspi_return_t gaspi_reduce(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_number_t num,
                            gaspi_operation_t operation, gaspi_datatype_t datatype, gaspi_rank_t root,
                            gaspi_group_t group, gaspi_timeout_t timeout_ms);
/* `size` bytes of each member, in the order of ranks. The buffers do not overlap. */
gaspi_return_t gaspi_allgather(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_size_t size,
                               gaspi_group_t group, gaspi_timeout_t timeout_ms);
/* sizes[i] bytes of the i-th member, one behind the other; `sizes` is the same everywhere. */
gaspi_return_t gaspi_allgatherv(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, const gaspi_size_t* sizes,
                                gaspi_group_t group, gaspi_timeout_t timeout_ms);
/* The i-th `size` bytes go to the i-th member; those of the i-th member come i-th. The buffers do not overlap. */
gaspi_return_t gaspi_alltoall(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_size_t size,
                              gaspi_group_t group, gaspi_timeout_t timeout_ms);
/* The same with blocks of any sizes, in bytes, at any offsets into the buffers. What i sends to k is as long as k expects. */
gaspi_return_t gaspi_alltoallv(gaspi_pointer_t buffer_send, const gaspi_size_t* send_sizes,
                               const gaspi_size_t* send_offsets, gaspi_pointer_t buffer_receive,
                               const gaspi_size_t* receive_sizes, const gaspi_size_t* receive_offsets,
                               gaspi_group_t group, gaspi_timeout_t timeout_ms);

/* ---- limits ---- */

gaspi_return_t gaspi_rw_list_elem_max(gaspi_number_t* elem_max);
gaspi_return_t gaspi_transfer_size_min(gaspi_size_t* transfer_size_min);
gaspi_return_t gaspi_passive_transfer_size_min(gaspi_size_t* transfer_size_min);

#ifdef __cplusplus
}
#endif

#endif
