/* ARMCI over Polder: one-sided transfers for programs of MPI, Global Arrays above all.
 *
 * What is declared here and in message.h stands in for the ARMCI library that a program was compiled for. See
 * armci_calls.h for what the calls do.
 */
#ifndef ARMCI_H
#define ARMCI_H

#include <mpi.h>

#include "armci_calls.h"
#include "armci_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ranks in an order of their own. The program may read everything, send over `comm`, and copy it. The arrays belong to
 * ARMCI; abs_to_grp has -1 for ranks that are not in the group.
 */
struct armci_group_s {
  MPI_Comm comm;                /* of the members; MPI_COMM_NULL for others */
  MPI_Comm noncoll_pgroup_comm; /* not used */
  int* grp_to_abs;
  int* abs_to_grp;
  int rank; /* of the caller among the members; -1: it is none */
  int size;
};

/* As ARMCI_Init_thread; `comm` must hold all ranks of MPI_COMM_WORLD in the same order. */
int ARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#include "message.h"
#include "parmci.h"

#endif
