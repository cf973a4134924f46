/* The collectives and messages that come with ARMCI: programs include message.h.
 *
 * All of them belong to the thread that called MPI_Init. `root` and `to` and `from` are ranks of MPI_COMM_WORLD, also
 * where a group takes part. `op` is "+", "*", "max", "min", "absmax", "absmin", of truth values "&&" and "||" ("land",
 * "lor"; what is not 0 is true, and the result is 0 or 1), and of the bits of integers "or" ("bor") and "band"; `n`
 * counts elements, and every rank ends with the same result to the bit. `len` counts bytes. While a rank waits here,
 * MPI still moves what the program sent with it.
 */
#ifndef ARMCI_MESSAGE_CALLS_H
#define ARMCI_MESSAGE_CALLS_H

#include "armci_types.h"

#ifdef __cplusplus
extern "C" {
#endif

int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code); /* ends the job */
double armci_timer(void);       /* seconds since some moment in the past */

/* ---- messages ----
 * armci_msg_rcv: `msglen`, if not NULL, receives the length. armci_msg_rcvany returns the rank that sent.
 */
void armci_msg_snd(int tag, void* buffer, int len, int to);
void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from);
int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen);

/* ---- meetings ---- */
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group* group);
/* The caller's place in a binary tree of the scope: -1 where there is nobody. */
void armci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right);

/* ---- one to all ---- */
void armci_msg_bcast(void* buffer, int len, int root);
void armci_msg_brdcst(void* buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void* buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group);
void armci_msg_clus_brdcst(void* buf, int len); /* from the first rank of the node */
/* Among grp_clus_nproc members of the group, the first of which, grp_master, sends. */
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc, ARMCI_Group* mastergroup);

/* ---- all to all ---- */
void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void armci_msg_igop(int* x, int n, char* op);
void armci_msg_lgop(long* x, int n, char* op);
void armci_msg_llgop(long long* x, int n, char* op);
void armci_msg_fgop(float* x, int n, char* op);
void armci_msg_dgop(double* x, int n, char* op);

void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);

void armci_msg_clus_igop(int* x, int n, char* op); /* among the ranks of the node */
void armci_msg_clus_lgop(long* x, int n, char* op);
void armci_msg_clus_llgop(long long* x, int n, char* op);
void armci_msg_clus_fgop(float* x, int n, char* op);
void armci_msg_clus_dgop(double* x, int n, char* op);

/* To the first rank of the scope only; what the others find in x is undefined. */
void armci_msg_reduce(void* x, int n, char* op, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);

/* The ranks that contribute compare the first element of x by "min" or "max"; the winner's n bytes come to all ranks of
 * the scope. Nobody contributes: nothing changes. Of equals the lowest rank wins.
 */
void armci_msg_sel(void* x, int n, char* op, int type, int contribute);
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);

/* Each entry is set at one rank and NULL at the others; all get it. */
void armci_exchange_address(void* ptr_ar[], int n);
void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif
