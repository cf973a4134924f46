/* The calls of GASPI_Lowlevel.h under their second names, for tools; see PGASPI.h. */
#ifndef PGASPI_LOWLEVEL_H
#define PGASPI_LOWLEVEL_H

#include "GASPI_Lowlevel.h"

#ifdef __cplusplus
extern "C" {
#endif

gaspi_return_t pgaspi_operation_submit(gaspi_operation_kind_t operation, gaspi_tag_t tag,
                                       gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local,
                                       gaspi_rank_t rank, gaspi_segment_id_t segment_id_remote,
                                       gaspi_offset_t offset_remote, gaspi_size_t size,
                                       gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                       gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

gaspi_return_t pgaspi_operation_list_submit(gaspi_operation_kind_t operation, gaspi_tag_t tag, gaspi_number_t num,
                                            gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                            gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote,
                                            gaspi_offset_t* offset_remote, gaspi_size_t* size,
                                            gaspi_segment_id_t segment_id_notification,
                                            gaspi_notification_id_t notification_id,
                                            gaspi_notification_t notification_value, gaspi_queue_id_t queue,
                                            gaspi_timeout_t timeout_ms);

gaspi_return_t pgaspi_operation_get_num_requests(gaspi_operation_kind_t operation, gaspi_number_t num,
                                                 gaspi_number_t* num_requests);

gaspi_return_t pgaspi_request_wait(gaspi_queue_id_t queue, gaspi_number_t max_requests,
                                   gaspi_number_t* completed_requests, gaspi_tag_t* tags, gaspi_status_t* statuses,
                                   gaspi_timeout_t timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
