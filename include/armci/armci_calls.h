/* The calls of ARMCI, without those of MPI: programs include armci.h.
 *
 * Addresses. `ARMCI_Malloc` fills a table with the address of each rank's part. Those of ranks on this node are valid
 * in the caller, which may load and store there; those of other nodes are addresses of their owner. Either names the
 * byte only together with the rank that a call takes, and only at the rank that got the table: do not send such
 * addresses to others. Any memory of the caller may be the local side of a transfer, or the remote side if `proc` is
 * the caller.
 *
 * Order. Blocking calls are location consistent: a get sees what the same rank put or accumulated before at the same
 * place. The local memory of a blocking call is the caller's again when it returns; what a put or an accumulate did is
 * visible to others after a fence. Accumulates are atomic element by element against all other accumulates.
 *
 * Strided transfers. count[0] is in bytes, the counts above it in blocks; strides are in bytes, stride i being the
 * distance of blocks at level i+1; stride_levels is the number of strides, 0 to 8.
 *
 * Threads. Transfers, atomics, fences and mutexes may be called from any thread. Everything collective, and the calls
 * that need MPI (ARMCI_Init*, ARMCI_Finalize, ARMCI_Malloc*, ARMCI_Free*, groups, armci_msg_*) belong to the thread
 * that called MPI_Init.
 *
 * Errors. Calls that return int return 0 on success. A wrong argument or a rank that is gone ends the job with a
 * sentence that names call, rank and argument, because most programs do not look at what is returned; with
 * POLDER_ARMCI_ERRORS=return the sentence is printed and the call returns 1. Lack of memory is always returned.
 *
 * PARMCI. Each call exists a second time as PARMCI_X or parmci_x (parmci.h); the plain name is a weak alias of it.
 */
#ifndef ARMCI_CALLS_H
#define ARMCI_CALLS_H

#include "armci_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- begin and end ----
 * Collective over the ranks of MPI_COMM_WORLD. Each Init needs its Finalize; only the last one ends anything, further
 * ones do nothing. If MPI was not initialised, the first Init does that and the last Finalize ends it.
 * `armci_requested` is a thread level of MPI, passed on in that case.
 */
int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
int ARMCI_Init_thread(int armci_requested);
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);

/* Prints the message and ends the job with `code`. Does not return. */
void ARMCI_Error(const char* msg, int code);
/* Leaves alone, without meeting anybody: for a program that is about to end because of an error. What it posted still
 * arrives, unless peers do not answer for some seconds.
 */
void ARMCI_Cleanup(void);

/* ---- memory ----
 * Collective. base_ptrs has an entry for each rank; ranks may ask for different sizes, and one that asks for 0 has the
 * entry NULL. 1: some rank has no memory left; then nobody got any.
 * Freeing takes the caller's own entry, or NULL if that is what it has. Waits until all transfers have ended.
 */
int ARMCI_Malloc(void** base_ptrs, armci_size_t size);
int ARMCI_Free(void* ptr);
int ARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group); /* an entry for each member */
int ARMCI_Free_group(void* ptr, ARMCI_Group* group);
/* `device` is a wish that is not granted: all memory is of one kind. */
int ARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char* device);
int ARMCI_Free_memdev(void* ptr);

/* Not collective. Memory of the caller's own, good as the local side of transfers. NULL: there is none left. */
void* ARMCI_Malloc_local(armci_size_t size);
int ARMCI_Free_local(void* ptr);

/* Around direct loads and stores to the caller's own part. Not needed: memory is coherent. */
void ARMCI_Access_begin(void* ptr);
void ARMCI_Access_end(void* ptr);

/* ---- contiguous transfers ---- */
int ARMCI_Put(void* src, void* dst, int size, int target);
int ARMCI_Get(void* src, void* dst, int size, int target);
int ARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
void ARMCI_Copy(void* src, void* dst, int size); /* both local */

int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int ARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);

/* ---- strided transfers ---- */
int ARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
               int proc);
int ARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
               int proc);
int ARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
               int count[], int stride_levels, int proc);

int ARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                 int proc, armci_hdl_t* hdl);
int ARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                 int proc, armci_hdl_t* hdl);
int ARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t* hdl);

/* Puts, and then stores `value` at `flag`, an address at `proc`: who sees the value sees the data. */
int ARMCI_Put_flag(void* src, void* dst, int size, int* flag, int value, int proc);
int ARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                    int stride_levels, int* flag, int value, int proc);

/* Between strided memory of the caller and a buffer without gaps. */
void armci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);
void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);

/* ---- transfers of lists of blocks ---- */
int ARMCI_PutV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc);

int ARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int ARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int ARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);

/* ---- single values ---- */
int ARMCI_PutValueInt(int src, void* dst, int proc);
int ARMCI_PutValueLong(long src, void* dst, int proc);
int ARMCI_PutValueFloat(float src, void* dst, int proc);
int ARMCI_PutValueDouble(double src, void* dst, int proc);

int ARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* hdl);

int ARMCI_GetValueInt(void* src, int proc);
long ARMCI_GetValueLong(void* src, int proc);
float ARMCI_GetValueFloat(void* src, int proc);
double ARMCI_GetValueDouble(void* src, int proc);

/* ---- completion ----
 * A non-blocking call without a handle (NULL) is implicit: ARMCI_WaitProc and ARMCI_WaitAll end it, as they end all
 * others. A handle must have been initialised; one may be used for several operations if it is an aggregate. Waiting
 * means that the local memory is the caller's again, or has been filled. ARMCI_Test returns 0 if the operation has
 * ended, else 1; copies of a handle are as good as the original until one of them has been waited for. A failure is
 * told once: by the next call that takes the handle, be it one that posts another operation with it, or by
 * ARMCI_WaitAll. Of 65,536 handles under way at a time, a further call waits for its own operation instead.
 */
void ARMCI_INIT_HANDLE(armci_hdl_t* hdl);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);
int ARMCI_Wait(armci_hdl_t* hdl);
int ARMCI_Test(armci_hdl_t* hdl);
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* ---- order ----
 * A fence waits until what the caller did at `proc`, or anywhere, is visible there. ARMCI_Barrier: AllFence, and a
 * meeting of all ranks.
 */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_Barrier(void);

/* ---- atomics ----
 * `op` of ARMCI_Rmw_e. Fetch and add: *ploc = *prem, *prem += value. Swap: *ploc and *prem change places. Atomic
 * against all other calls of ARMCI_Rmw.
 */
int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);

/* ---- mutexes ----
 * One set at a time. Collective: each rank offers `count` mutexes (its own number, 0 among them), which all may lock.
 * A mutex belongs to the thread that locked it; one whose holder died ends the job of whoever waits for it, and not in
 * a wait without end.
 */
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* ---- groups ----
 * pid_list are ranks of the parent (the default group), in the order that the members get. Called by all members; ranks
 * that are not in the list may call too, and get a group without members whose rank is -1. The communicator in a group
 * is one of MPI's, for the program to use. A group must be initialised before its fields are read; copies of it are as
 * good as the original until it is freed, by all its members.
 */
void ARMCI_Group_create(int grp_size, int* pid_list, ARMCI_Group* group_out);
void ARMCI_Group_create_child(int grp_size, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* group_parent);
void ARMCI_Group_free(ARMCI_Group* group);
int ARMCI_Group_rank(ARMCI_Group* group, int* rank); /* 1: the caller is no member */
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group_out);
void ARMCI_Group_get_world(ARMCI_Group* group_out);
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank); /* the rank in MPI_COMM_WORLD; -1: no such member */

/* ---- nodes ----
 * As the packaged ARMCI has it, each rank is a node of its own; with POLDER_ARMCI_TOPOLOGY=nodes the truth is told, and
 * Global Arrays loads and stores the memory of its neighbours itself.
 */
int armci_domain_nprocs(armci_domain_t domain, int id); /* id < 0: of this rank's */
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);
void ARMCI_Set_shm_limit(unsigned long shmemlimit); /* there is no limit; ignored */

#ifdef __cplusplus
}
#endif

#endif
