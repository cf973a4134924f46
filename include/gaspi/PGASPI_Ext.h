/* The calls of GASPI_Ext.h under their second names, for tools; see PGASPI.h. */
#ifndef PGASPI_EXT_H
#define PGASPI_EXT_H

#include "GASPI_types.h"

#ifdef __cplusplus
extern "C" {
#endif

gaspi_return_t pgaspi_initialized(gaspi_number_t* initialized);
gaspi_string_t pgaspi_error_str(gaspi_return_t error_code);
gaspi_string_t pgaspi_error_detail(void);
gaspi_return_t pgaspi_cpu_frequency(gaspi_float* frequency_mhz);
gaspi_return_t pgaspi_numa_socket(gaspi_uchar* socket);
void pgaspi_delay(void);
gaspi_return_t pgaspi_set_socket_affinity(gaspi_uchar socket);
void pgaspi_print_affinity_mask(void);
void pgaspi_printf(const char* format, ...);
void pgaspi_printf_to(gaspi_rank_t rank, const char* format, ...);
gaspi_return_t pgaspi_proc_local_rank(gaspi_rank_t* local_rank);
gaspi_return_t pgaspi_proc_local_num(gaspi_rank_t* local_num);
gaspi_return_t pgaspi_proc_ping(gaspi_rank_t rank, gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_segment_avail_local(gaspi_segment_id_t* available_segment_id);
gaspi_return_t pgaspi_segment_size(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_size_t* size);
gaspi_return_t pgaspi_bcast(gaspi_pointer_t buffer, gaspi_size_t size, gaspi_rank_t root, gaspi_group_t group,
                            gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_reduce(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_number_t num,
                             gaspi_operation_t operation, gaspi_datatype_t datatype, gaspi_rank_t root,
                             gaspi_group_t group, gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_allgather(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_size_t size,
                                gaspi_group_t group, gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_allgatherv(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, const gaspi_size_t* sizes,
                                 gaspi_group_t group, gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_alltoall(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_size_t size,
                               gaspi_group_t group, gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_alltoallv(gaspi_pointer_t buffer_send, const gaspi_size_t* send_sizes,
                                const gaspi_size_t* send_offsets, gaspi_pointer_t buffer_receive,
                                const gaspi_size_t* receive_sizes, const gaspi_size_t* receive_offsets,
                                gaspi_group_t group, gaspi_timeout_t timeout_ms);
gaspi_return_t pgaspi_rw_list_elem_max(gaspi_number_t* elem_max);
gaspi_return_t pgaspi_transfer_size_min(gaspi_size_t* transfer_size_min);
gaspi_return_t pgaspi_passive_transfer_size_min(gaspi_size_t* transfer_size_min);

#ifdef __cplusplus
}
#endif

#endif
