/* Tagged requests: what task-aware libraries use to learn which of their requests are over, without waiting for a whole
 * queue. A request is submitted with a tag of the program's choice, and gaspi_request_wait hands out the tags of those
 * that are over. The rules of GASPI.h hold here too. gaspi_wait waits for tagged requests as well and leaves their tags
 * where they are.
 */
#ifndef GASPI_LOWLEVEL_H
#define GASPI_LOWLEVEL_H

#include "GASPI_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long gaspi_tag_t; /* wide enough for a pointer */

/* For a request that nobody asks about: it is like one of the ordinary calls. */
#ifdef __cplusplus
static const gaspi_tag_t GASPI_TAG_NULL = 0UL;
#else
#define GASPI_TAG_NULL ((gaspi_tag_t)0)
#endif

typedef struct {
  gaspi_return_t error; /* of the request: GASPI_SUCCESS, or GASPI_ERROR if the other rank is gone */
} gaspi_status_t;

typedef enum {
  GASPI_OP_READ = 0,
  GASPI_OP_WRITE = 1,
  GASPI_OP_NOTIFY = 2,
  GASPI_OP_WRITE_NOTIFY = 3,
  GASPI_OP_READ_LIST = 4,
  GASPI_OP_WRITE_LIST = 5,
  GASPI_OP_WRITE_LIST_NOTIFY = 6
} gaspi_operation_kind_t;

/* READ, WRITE, NOTIFY or WRITE_NOTIFY, with the arguments of the call of that name; those that it does not have are
 * ignored. Errors are those of that call; GASPI_ERR_INV_NUM: another kind. The local memory is the program's again
 * once the tag has come back. */
gaspi_return_t gaspi_operation_submit(gaspi_operation_kind_t operation, gaspi_tag_t tag,
                                      gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local,
                                      gaspi_rank_t rank, gaspi_segment_id_t segment_id_remote,
                                      gaspi_offset_t offset_remote, gaspi_size_t size,
                                      gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                      gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms);

/* READ_LIST, WRITE_LIST or WRITE_LIST_NOTIFY, likewise. */
gaspi_return_t gaspi_operation_list_submit(gaspi_operation_kind_t operation, gaspi_tag_t tag, gaspi_number_t num,
                                           gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                           gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote,
                                           gaspi_offset_t* offset_remote, gaspi_size_t* size,
                                           gaspi_segment_id_t segment_id_notification,
                                           gaspi_notification_id_t notification_id,
                                           gaspi_notification_t notification_value, gaspi_queue_id_t queue,
                                           gaspi_timeout_t timeout_ms);

/* How often the tag of such an operation comes back; `num` is the number of entries of a list. */
gaspi_return_t gaspi_operation_get_num_requests(gaspi_operation_kind_t operation, gaspi_number_t num,
                                                gaspi_number_t* num_requests);

/* Takes up to `max_requests` requests of the queue that are over, in any order: their number to `completed_requests`,
 * their tags and outcomes to the arrays, which have room for as many. GASPI_TIMEOUT: none was over in time.
 * GASPI_SUCCESS with none: there are no tagged requests in the queue. Many threads may ask; each request goes to one.
 */
gaspi_return_t gaspi_request_wait(gaspi_queue_id_t queue, gaspi_number_t max_requests,
                                  gaspi_number_t* completed_requests, gaspi_tag_t* tags, gaspi_status_t* statuses,
                                  gaspi_timeout_t timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
