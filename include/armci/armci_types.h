/* The types and constants of ARMCI, as far as they do not depend on the MPI library. Their values and layouts are those
 * that programs were compiled for.
 */
#ifndef ARMCI_TYPES_H
#define ARMCI_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of an allocation. */
typedef long armci_size_t;

/* What ARMCI_Acc combines: y += scale * x, with elements and scale of one of these. */
enum ARMCI_Acc_e { ARMCI_ACC_INT, ARMCI_ACC_LNG, ARMCI_ACC_FLT, ARMCI_ACC_DBL, ARMCI_ACC_CPL, ARMCI_ACC_DCP };

enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

/* A non-blocking operation, or several of an aggregate. Owned by the program; only the calls below read or write the
 * fields, which hold a number and not the state itself.
 */
typedef struct armci_hdl_s {
  int target;
  int aggregate;
} armci_hdl_t;

/* Blocks of equal length: `bytes` from src_ptr_array[i] to dst_ptr_array[i]. */
typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int bytes;
  int ptr_array_len;
} armci_giov_t;

/* Completed in armci.h: it holds communicators of MPI. */
typedef struct armci_group_s ARMCI_Group;

/* The ranks of a node. */
enum armci_domain_e { ARMCI_DOMAIN_SMP };
typedef int armci_domain_t;

/* Who takes part in a collective: everybody, the ranks of this node, the first rank of each node. */
enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };

enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

#ifdef __cplusplus
}
#endif

#endif
