/* Every call of ARMCI under its second name. ARMCI_X is a weak alias of PARMCI_X, so a tool that brings an ARMCI_X of
 * its own stands between the program and Polder and goes on to PARMCI_X. What a call does is said in armci_calls.h and
 * message_calls.h.
 */
#ifndef PARMCI_H
#define PARMCI_H

#include "armci_types.h"

#ifdef __cplusplus
extern "C" {
#endif

int PARMCI_Init(void);
int PARMCI_Init_args(int* argc, char*** argv);
int PARMCI_Init_thread(int armci_requested);
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
void PARMCI_Error(const char* msg, int code);
void PARMCI_Cleanup(void);
int PARMCI_Malloc(void** base_ptrs, armci_size_t size);
int PARMCI_Free(void* ptr);
int PARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group);
int PARMCI_Free_group(void* ptr, ARMCI_Group* group);
int PARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char* device);
int PARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char* device);
int PARMCI_Free_memdev(void* ptr);
void* PARMCI_Malloc_local(armci_size_t size);
int PARMCI_Free_local(void* ptr);
void PARMCI_Access_begin(void* ptr);
void PARMCI_Access_end(void* ptr);
int PARMCI_Put(void* src, void* dst, int size, int target);
int PARMCI_Get(void* src, void* dst, int size, int target);
int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
void PARMCI_Copy(void* src, void* dst, int size);
int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                int proc);
int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                int proc);
int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                int count[], int stride_levels, int proc);
int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t* hdl);
int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t* hdl);
int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int PARMCI_Put_flag(void* src, void* dst, int size, int* flag, int value, int proc);
int PARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                     int stride_levels, int* flag, int value, int proc);
void parmci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);
void parmci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);
int PARMCI_PutV(armci_giov_t* iov, int iov_len, int proc);
int PARMCI_GetV(armci_giov_t* iov, int iov_len, int proc);
int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc);
int PARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int PARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int PARMCI_PutValueInt(int src, void* dst, int proc);
int PARMCI_PutValueLong(long src, void* dst, int proc);
int PARMCI_PutValueFloat(float src, void* dst, int proc);
int PARMCI_PutValueDouble(double src, void* dst, int proc);
int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_GetValueInt(void* src, int proc);
long PARMCI_GetValueLong(void* src, int proc);
float PARMCI_GetValueFloat(void* src, int proc);
double PARMCI_GetValueDouble(void* src, int proc);
void PARMCI_INIT_HANDLE(armci_hdl_t* hdl);
void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);
int PARMCI_Wait(armci_hdl_t* hdl);
int PARMCI_Test(armci_hdl_t* hdl);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_Barrier(void);
int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
void PARMCI_Group_create(int grp_size, int* pid_list, ARMCI_Group* group_out);
void PARMCI_Group_create_child(int grp_size, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* group_parent);
void PARMCI_Group_free(ARMCI_Group* group);
int PARMCI_Group_rank(ARMCI_Group* group, int* rank);
void PARMCI_Group_size(ARMCI_Group* group, int* size);
void PARMCI_Group_set_default(ARMCI_Group* group);
void PARMCI_Group_get_default(ARMCI_Group* group_out);
void PARMCI_Group_get_world(ARMCI_Group* group_out);
int PARMCI_Absolute_id(ARMCI_Group* group, int group_rank);
int parmci_domain_nprocs(armci_domain_t domain, int id);
int parmci_domain_id(armci_domain_t domain, int glob_proc_id);
int parmci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int parmci_domain_my_id(armci_domain_t domain);
int parmci_domain_count(armci_domain_t domain);
int parmci_domain_same_id(armci_domain_t domain, int proc);
int PARMCI_Same_node(int proc);
int PARMCI_Uses_shm(void);
int PARMCI_Uses_shm_grp(ARMCI_Group* group);
void PARMCI_Set_shm_limit(unsigned long shmemlimit);
int parmci_msg_me(void);
int parmci_msg_nproc(void);
void parmci_msg_abort(int code);
double parmci_timer(void);
void parmci_msg_snd(int tag, void* buffer, int len, int to);
void parmci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from);
int parmci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group* group);
void parmci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right);
void parmci_msg_bcast(void* buffer, int len, int root);
void parmci_msg_brdcst(void* buffer, int len, int root);
void parmci_msg_bcast_scope(int scope, void* buffer, int len, int root);
void parmci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group);
void parmci_msg_clus_brdcst(void* buf, int len);
void parmci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc, ARMCI_Group* mastergroup);
void parmci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void parmci_msg_igop(int* x, int n, char* op);
void parmci_msg_lgop(long* x, int n, char* op);
void parmci_msg_llgop(long long* x, int n, char* op);
void parmci_msg_fgop(float* x, int n, char* op);
void parmci_msg_dgop(double* x, int n, char* op);
void parmci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
void parmci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void parmci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void parmci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void parmci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void parmci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);
void parmci_msg_clus_igop(int* x, int n, char* op);
void parmci_msg_clus_lgop(long* x, int n, char* op);
void parmci_msg_clus_llgop(long long* x, int n, char* op);
void parmci_msg_clus_fgop(float* x, int n, char* op);
void parmci_msg_clus_dgop(double* x, int n, char* op);
void parmci_msg_reduce(void* x, int n, char* op, int type);
void parmci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);
void parmci_msg_sel(void* x, int n, char* op, int type, int contribute);
void parmci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);
void parmci_exchange_address(void* ptr_ar[], int n);
void parmci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif
