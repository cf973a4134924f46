/* GASPI 17.1, the calls of the standard. Include this header to use Polder through the GASPI interface.
 *
 * Every call may be made from many threads at once. Arguments are always checked: a wrong one gives the GASPI_ERR_ code
 * that names it, and nothing has changed. Calls other than those marked "any time" give GASPI_ERR_NOINIT before
 * gaspi_proc_init and after gaspi_proc_term; a null pointer gives GASPI_ERR_NULLPTR. A call with a timeout that returns
 * GASPI_TIMEOUT is repeated with the same arguments to go on. GASPI_ERROR says that a peer is gone: gaspi_state_vec_get
 * tells which.
 *
 * Each call exists as pgaspi_X too (PGASPI.h), and gaspi_X may be replaced by a tool that forwards to it.
 */
#ifndef GASPI_H
#define GASPI_H

#include "GASPI_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 5.2 configuration (any time) ---- */

/* The configuration that the next gaspi_proc_init will use, or that is in use. */
gaspi_return_t gaspi_config_get(gaspi_config_t* config);
/* GASPI_ERR_CONFIG: a value is out of range. GASPI_ERR_INITED: too late. */
gaspi_return_t gaspi_config_set(gaspi_config_t config);

/* ---- 5.3 processes ---- */

/* Finds the other ranks; GASPI_GROUP_ALL is committed when it succeeds. Any time; GASPI_ERR_INITED between init and
 * term. */
gaspi_return_t gaspi_proc_init(gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_proc_num(gaspi_rank_t* proc_num);
gaspi_return_t gaspi_proc_rank(gaspi_rank_t* rank);
/* Waits for what was posted, then frees queues, segments and groups and leaves the job. gaspi_proc_init may follow. A
 * rank that ends without it does the same. */
gaspi_return_t gaspi_proc_term(gaspi_timeout_t timeout_ms);
/* Ends the process of another rank and waits until it is seen to be gone. */
gaspi_return_t gaspi_proc_kill(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);

/* ---- 5.4 connections: Polder makes them on first use, these calls only say whether there can be one ---- */

gaspi_return_t gaspi_connect(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
/* Waits until what was posted to `rank` has arrived. */
gaspi_return_t gaspi_disconnect(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);

/* ---- 5.5 state vector ---- */

/* Fills one entry a rank. GASPI_STATE_CORRUPT: it died, cannot be reached, or has left the job. */
gaspi_return_t gaspi_state_vec_get(gaspi_state_vector_t state_vector);

/* ---- 6 groups ---- */

gaspi_return_t gaspi_group_create(gaspi_group_t* group);
gaspi_return_t gaspi_group_add(gaspi_group_t group, gaspi_rank_t rank);
gaspi_return_t gaspi_group_commit(gaspi_group_t group, gaspi_timeout_t timeout_ms);
/* Local. Gives up what is unfinished on the group: an allreduce, a segment that was being created. GASPI_ERR_ACTIVE_COLL:
 * another thread is in a call on it. */
gaspi_return_t gaspi_group_delete(gaspi_group_t group);
gaspi_return_t gaspi_group_num(gaspi_number_t* group_num);
gaspi_return_t gaspi_group_size(gaspi_group_t group, gaspi_number_t* group_size);
gaspi_return_t gaspi_group_ranks(gaspi_group_t group, gaspi_rank_t* group_ranks); /* room for group_size ranks */

/* ---- 7 segments ---- */

gaspi_return_t gaspi_segment_alloc(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_alloc_t alloc_policy);
gaspi_return_t gaspi_segment_register(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
/* Collective. GASPI_ERROR at all members if one of them could not create its segment. A member whose arguments are
 * refused is told alone and takes no part: it calls again, or the others wait for it. One that ran out of time is gone
 * on with by the same call, or given up with the group, or by gaspi_segment_delete. */
gaspi_return_t gaspi_segment_create(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_group_t group,
                                    gaspi_timeout_t timeout_ms, gaspi_alloc_t alloc_policy);
/* The memory stays the program's and must outlive the segment. */
gaspi_return_t gaspi_segment_bind(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size,
                                  gaspi_memory_description_t memory_description);
gaspi_return_t gaspi_segment_use(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size,
                                 gaspi_group_t group, gaspi_timeout_t timeout_ms,
                                 gaspi_memory_description_t memory_description);
/* Does not wait for peers that do not answer: they get an error when they use the segment. Gives up a creation that ran out of
 * time, too: its number is free here, the others finish it as if this rank had deleted the segment right after, and wait for this
 * rank until it calls the group's next allreduce, or creates another segment with it. */
gaspi_return_t gaspi_segment_delete(gaspi_segment_id_t segment_id);
gaspi_return_t gaspi_segment_num(gaspi_number_t* segment_num);
/* The first `num` ids, ascending. GASPI_ERR_INV_NUM: there are fewer. */
gaspi_return_t gaspi_segment_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_list);
gaspi_return_t gaspi_segment_ptr(gaspi_segment_id_t segment_id, gaspi_pointer_t* pointer);

/* ---- 8.2 one-sided communication; transfers of 0 bytes are allowed everywhere ---- */

gaspi_return_t gaspi_write(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                           gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                           gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_read(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                          gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                          gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/* Local completion: the source of a write is the program's again, the target of a read is filled. */
gaspi_return_t gaspi_wait(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

/* ---- 8.3 notifications ---- */

gaspi_return_t gaspi_notify(gaspi_segment_id_t segment_id_remote, gaspi_rank_t rank,
                            gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                            gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_notify_waitsome(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_begin,
                                     gaspi_number_t notification_num, gaspi_notification_id_t* first_id,
                                     gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_notify_reset(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_id,
                                  gaspi_notification_t* old_notification_value);

/* ---- 8.4 extended communication ---- */

gaspi_return_t gaspi_write_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                  gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                  gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                  gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_write_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                gaspi_size_t* size, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_write_list_notify(gaspi_number_t num, gaspi_segment_id_t* segment_id_local,
                                       gaspi_offset_t* offset_local, gaspi_rank_t rank,
                                       gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                       gaspi_size_t* size, gaspi_segment_id_t segment_id_notification,
                                       gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                       gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/* The notification, of value 1, is set in the local segment. */
gaspi_return_t gaspi_read_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                 gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                 gaspi_notification_id_t notification_id, gaspi_queue_id_t queue,
                                 gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_read_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                               gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                               gaspi_size_t* size, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);
/* The notification, of value 1, is set in the local segment `segment_id_notification`. */
gaspi_return_t gaspi_read_list_notify(gaspi_number_t num, gaspi_segment_id_t* segment_id_local,
                                      gaspi_offset_t* offset_local, gaspi_rank_t rank,
                                      gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                      gaspi_size_t* size, gaspi_segment_id_t segment_id_notification,
                                      gaspi_notification_id_t notification_id, gaspi_queue_id_t queue,
                                      gaspi_timeout_t timeout_ms);

/* ---- 8.5 queues ---- */

/* GASPI_ERR_INV_NUM: gaspi_queue_max queues exist. */
gaspi_return_t gaspi_queue_create(gaspi_queue_id_t* queue, gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_queue_delete(gaspi_queue_id_t queue);
/* Requests posted since the last successful gaspi_wait or purge, whether they are over or not; a list counts as its
 * elements, but not as more than gaspi_queue_size_max. At that number the calls that post return GASPI_QUEUE_FULL at
 * once: wait, or use another queue. Requests with tags (GASPI_Lowlevel.h) are counted here, too, and bounded apart. */
gaspi_return_t gaspi_queue_size(gaspi_queue_id_t queue, gaspi_number_t* queue_size);
gaspi_return_t gaspi_queue_purge(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

/* ---- 9 passive communication ---- */

/* Returns when a receive has taken the data. GASPI_TIMEOUT: the same call goes on with it. GASPI_ERROR: the rank is gone,
 * or passive_queue_size_max sends are waiting. */
gaspi_return_t gaspi_passive_send(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                  gaspi_size_t size, gaspi_timeout_t timeout_ms);
/* Sleeps until data comes; may be polled, with GASPI_TEST. GASPI_TIMEOUT: the memory is untouched. GASPI_ERR_INV_SIZE:
 * what came is larger than `size`; it stays for a larger receive. */
gaspi_return_t gaspi_passive_receive(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local,
                                     gaspi_rank_t* rank, gaspi_size_t size, gaspi_timeout_t timeout_ms);
/* Takes back sends that have timed out, which no receive finds any more unless it is at them already, and forgets what
 * came from ranks that are gone. */
gaspi_return_t gaspi_passive_queue_purge(gaspi_timeout_t timeout_ms);

/* ---- 10 atomics on 8 bytes at a multiple of 8 ---- */

gaspi_return_t gaspi_atomic_fetch_add(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                      gaspi_atomic_value_t value_add, gaspi_atomic_value_t* value_old,
                                      gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_atomic_compare_swap(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                         gaspi_atomic_value_t comparator, gaspi_atomic_value_t value_new,
                                         gaspi_atomic_value_t* value_old, gaspi_timeout_t timeout_ms);

/* ---- 11 collectives. GASPI_ERR_ACTIVE_COLL: one of the same kind is under way on this group ---- */

gaspi_return_t gaspi_barrier(gaspi_group_t group, gaspi_timeout_t timeout_ms);
/* The send buffer is read at the first call only; results are equal to the bit at all ranks. */
gaspi_return_t gaspi_allreduce(gaspi_pointer_t const buffer_send, gaspi_pointer_t const buffer_receive,
                               gaspi_number_t num, gaspi_operation_t operation, gaspi_datatype_t datatype,
                               gaspi_group_t group, gaspi_timeout_t timeout_ms);
gaspi_return_t gaspi_allreduce_user(gaspi_pointer_t const buffer_send, gaspi_pointer_t const buffer_receive,
                                    gaspi_number_t num, gaspi_size_t element_size,
                                    gaspi_reduce_operation_t reduce_operation, gaspi_reduce_state_t reduce_state,
                                    gaspi_group_t group, gaspi_timeout_t timeout_ms);

/* ---- 12 getters of the configuration in use ---- */

gaspi_return_t gaspi_group_max(gaspi_number_t* group_max);
gaspi_return_t gaspi_segment_max(gaspi_number_t* segment_max);
gaspi_return_t gaspi_queue_num(gaspi_number_t* queue_num); /* queues that exist now */
gaspi_return_t gaspi_queue_size_max(gaspi_number_t* queue_size_max);
gaspi_return_t gaspi_queue_max(gaspi_number_t* queue_max);
gaspi_return_t gaspi_transfer_size_max(gaspi_size_t* transfer_size_max);
gaspi_return_t gaspi_notification_num(gaspi_number_t* notification_num);
gaspi_return_t gaspi_passive_transfer_size_max(gaspi_size_t* transfer_size_max);
gaspi_return_t gaspi_atomic_max(gaspi_atomic_value_t* max_value);
gaspi_return_t gaspi_allreduce_buf_size(gaspi_size_t* buf_size);
gaspi_return_t gaspi_allreduce_elem_max(gaspi_number_t* elem_max);
gaspi_return_t gaspi_network_type(gaspi_network_t* network_type);
gaspi_return_t gaspi_build_infrastructure(gaspi_number_t* build_infrastructure);

/* ---- 13 environment (any time) ---- */

gaspi_return_t gaspi_version(float* version);              /* of the standard: 17.1 */
gaspi_return_t gaspi_time_get(gaspi_time_t* wtime);        /* milliseconds since the program's first use of the clock */
gaspi_return_t gaspi_time_ticks(gaspi_time_t* resolution); /* milliseconds */
/* Cycles since the machine's start, at the rate that gaspi_cpu_frequency tells. Another implementation has them from
   gaspi_time_ticks; so that goes on to this call for a gaspi_cycles_t* (see the end of this header). */
gaspi_return_t gaspi_time_cycles(gaspi_cycles_t* cycles);
gaspi_return_t gaspi_print_error(gaspi_return_t error_code, gaspi_string_t* error_message);
gaspi_return_t gaspi_error_message(gaspi_return_t error_code,
                                   gaspi_string_t* error_message); /* its name in listing 18 */

/* ---- 14 profiling (any time) ---- */

gaspi_return_t gaspi_statistic_counter_max(gaspi_number_t* counter_max);
gaspi_return_t gaspi_statistic_counter_info(gaspi_statistic_counter_t counter,
                                            gaspi_statistic_argument_t* counter_argument, gaspi_string_t* counter_name,
                                            gaspi_string_t* counter_description, gaspi_number_t* verbosity_level);
gaspi_return_t gaspi_statistic_verbosity_level(gaspi_number_t verbosity_level); /* 0: nothing is counted */
gaspi_return_t gaspi_statistic_counter_get(gaspi_statistic_counter_t counter, gaspi_number_t argument,
                                           unsigned long* value);
gaspi_return_t gaspi_statistic_counter_reset(gaspi_statistic_counter_t counter);
gaspi_return_t gaspi_statistic_print_counters(void); /* those that are not 0, to standard output */
/* Level 0 stops tracing, 1 goes on with it, 2 writes out what is in memory; other levels do nothing. A tool may replace
 * the call and give it another meaning. */
gaspi_return_t gaspi_pcontrol(gaspi_int level, ...);

#ifdef __cplusplus
}
/* To the compiler: an overload, with a symbol of its own. */
inline gaspi_return_t gaspi_time_ticks(gaspi_cycles_t* cycles) {
  return gaspi_time_cycles(cycles);
}
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
/* A tool that defines the call itself writes `#undef gaspi_time_ticks` first. */
#define gaspi_time_ticks(pointer) \
  _Generic((pointer), gaspi_cycles_t * : gaspi_time_cycles, default : gaspi_time_ticks)(pointer)
#endif

#endif
