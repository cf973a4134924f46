/* Checkpoints in the memory of other ranks, for programs of GASPI: the interface of GPI_CP 1.0, over Polder's checkpoints.
 *
 *   gpi_cp_description_t saved = GPI_CP_DESCRIPTION_INITIALIZER();
 *   gpi_cp_init(segment, offset, size, queue, GPI_CP_POLICY_RING, group, saved, timeout);
 *   every k iterations: gpi_cp_commit(saved, timeout), copy the work into the segment, gpi_cp_start(saved, timeout)
 *   after a death:      a new group with a spare, gpi_cp_restore(segment, offset, size, queue, policy, group, saved, timeout)
 *   gpi_cp_finalize(saved, timeout); free(saved);
 *
 * What is saved is a range of a segment of the program's own. Several descriptions are several checkpoints. A description is used
 * by one thread at a time, between gaspi_proc_init and gaspi_proc_term. Collective calls are made by all members of the group in
 * the same order. All return GASPI_SUCCESS; GASPI_TIMEOUT, after which the same call with the same arguments goes on; or
 * GASPI_ERROR, whose reason gpi_cp_error_detail() has. A rank outside of the group is a spare: for it start, commit and
 * finalize do nothing. */
#ifndef GPI_CP_H
#define GPI_CP_H

#include <GASPI.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpi_cp_description* gpi_cp_description_t;

/* Each rank has one mirror, or two: then two neighbours that die at once lose nothing, and it costs half as much memory again.
 * Polder takes those of other nodes where there are any, and else the next ranks. The same at all ranks. */
typedef enum { GPI_CP_POLICY_RING = 1, GPI_CP_POLICY_TWO_MIRRORS = 2 /* beyond GPI_CP */ } gpi_cp_policy_t;

/* No call returns these. */
enum {
  GPI_CP_SUCCESS = 19000,
  GPI_CP_ERROR_UNEXPECTED_SEGMENT_ID_SOURCE = 19001,
  GPI_CP_ERROR_UNEXPECTED_SEGMENT_ID_RECEIVER = 19002,
  GPI_CP_ERROR_UNDEFINED_RANK = 19003
};

/* A new description, which the caller frees with free(), after gpi_cp_finalize. Null without memory. */
gpi_cp_description_t GPI_CP_DESCRIPTION_INITIALIZER(void);

/* 1.0 */
gaspi_return_t gpi_cp_version(float* version);

/* Collective over `group`, which must be committed. Registers `size` bytes from `offset` of the segment, which must stay until
 * gpi_cp_finalize or the next gpi_cp_restore; segment, offset and size may differ at each rank. `queue` must exist; transfers do not
 * use it. Costs twice the size in memory, for the own copy and for the mirrored one each. GASPI_ERROR: an argument, no memory, a
 * rank that is gone. */
gaspi_return_t gpi_cp_init(gaspi_segment_id_t segment, gaspi_offset_t offset, gaspi_size_t size, gaspi_queue_id_t queue,
                           gpi_cp_policy_t policy, gaspi_group_t group, gpi_cp_description_t description,
                           gaspi_timeout_t timeout);

/* Local. Copies the range, which may change again when it returns, and sends it to the mirror in the background. GASPI_ERROR: the
 * last start was not committed. That the mirror is gone gpi_cp_commit says, to all. */
gaspi_return_t gpi_cp_start(gpi_cp_description_t description, gaspi_timeout_t timeout);

/* Collective. What was started counts if all ranks have it at their mirrors. Without a start it does nothing. May be polled with
 * GASPI_TEST. GASPI_ERROR: a rank is gone. Whether this checkpoint counts is decided then in gpi_cp_restore, for all alike. */
gaspi_return_t gpi_cp_commit(gpi_cp_description_t description, gaspi_timeout_t timeout);

/* Collective over `new_group`, committed: ranks of the last group that live, and as many others, at most, as have died. These, with
 * a fresh description, take the places of the dead, the lowest rank that of the lowest, and have in their range what that one had
 * committed last. The others keep what their ranges hold (see gpi_cp_rollback). Then all have the last committed checkpoint at their
 * new mirrors, so the next death loses nothing either. Ranks that are left out must be gone: gaspi_proc_kill ends those that were
 * only slow. GASPI_ERROR: nothing was committed; a part is lost with its mirror; another rank died meanwhile: again with another
 * group. */
gaspi_return_t gpi_cp_restore(gaspi_segment_id_t segment, gaspi_offset_t offset, gaspi_size_t size,
                              gaspi_queue_id_t queue, gpi_cp_policy_t policy, gaspi_group_t new_group,
                              gpi_cp_description_t description, gaspi_timeout_t timeout);

/* Collective. Gives up the copies. Does nothing with a description that was never initialised, a spare's. What was not finalized
 * gaspi_proc_term ends. GASPI_ERROR: a start is not committed. */
gaspi_return_t gpi_cp_finalize(gpi_cp_description_t description, gaspi_timeout_t timeout);

/* ---- for experts ---- */

/* Local. Reads the committed parts of this rank and of the rank before it in the group, each from whoever has it, into two halves
 * of local memory: the own one to gpi_cp_get_active_snapshot() behind gpi_cp_get_receiver_ptr(), the other one to the other half.
 * Nobody else writes there. */
gaspi_return_t gpi_cp_read_buddy(gpi_cp_description_t description, gaspi_timeout_t timeout);
/* Started and not committed. */
bool gpi_cp_get_state_in_progress(gpi_cp_description_t description);
/* 0 or the size: changes with each commit. */
gaspi_offset_t gpi_cp_get_active_snapshot(gpi_cp_description_t description);
/* Memory of twice the size that gpi_cp_read_buddy fills; null without memory. */
gaspi_pointer_t gpi_cp_get_receiver_ptr(gpi_cp_description_t description);
/* The lowest number that no segment of this rank has. GASPI_ERROR: all are taken. */
gaspi_return_t gpi_cp_get_unused_segment_id(gaspi_segment_id_t* segment);

/* ---- beyond GPI_CP ---- */

/* The number of the last commit, from 1, which goes on across gpi_cp_restore; 0: none. */
gaspi_return_t gpi_cp_get_epoch(gpi_cp_description_t description, gaspi_number_t* epoch);
/* Local: fills the range with what this rank has committed last, for survivors that go back to it too. GASPI_ERROR: nothing was
 * committed, or a start is not. */
gaspi_return_t gpi_cp_rollback(gpi_cp_description_t description, gaspi_timeout_t timeout);
/* Why the last call of this thread returned GASPI_ERROR; "" if none did. Valid until the next one does. */
const char* gpi_cp_error_detail(void);

#ifdef __cplusplus
}
#endif

#endif
