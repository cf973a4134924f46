/* GASPI 17.1: types and constants (sections 4, 5.2.1, 5.5, 11.3, 14.1).
 *
 * The standard leaves widths and numbers to the implementation; these are the ones that existing programs and tools
 * were compiled for (x86-64 and AArch64 Linux). No other header is included, so this one may stand inside a C++
 * namespace.
 */
#ifndef GASPI_TYPES_H
#define GASPI_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef char gaspi_char;
typedef unsigned char gaspi_uchar;
typedef short gaspi_short;
typedef unsigned short gaspi_ushort;
typedef int gaspi_int;
typedef unsigned int gaspi_uint;
typedef long gaspi_long;
typedef unsigned long gaspi_ulong;
typedef float gaspi_float;
typedef double gaspi_double;

typedef unsigned long gaspi_timeout_t; /* milliseconds, GASPI_BLOCK or GASPI_TEST */
typedef unsigned short gaspi_rank_t;
typedef unsigned char gaspi_group_t;
typedef unsigned char gaspi_segment_id_t;
typedef unsigned long gaspi_offset_t; /* bytes from the start of a segment */
typedef unsigned long gaspi_size_t;   /* bytes */
typedef unsigned char gaspi_queue_id_t;
typedef unsigned int gaspi_notification_id_t;
typedef unsigned int gaspi_notification_t; /* never 0 when posted: 0 means "not set" */
typedef unsigned long gaspi_atomic_value_t;
typedef unsigned int gaspi_number_t;
typedef void* gaspi_pointer_t;
typedef const void* gaspi_const_pointer_t;
typedef void* gaspi_reduce_state_t;
typedef char* gaspi_string_t; /* text that belongs to the library: neither changed nor freed by the program */
typedef float gaspi_time_t;   /* milliseconds */
typedef unsigned long gaspi_cycles_t;
typedef unsigned int gaspi_statistic_counter_t;
typedef int gaspi_memory_description_t; /* of memory that the program brings; 0: ordinary memory of this process */

/* In C++ constants with a type, so that they can be named through a namespace; in C macros, so that they are constant
 * expressions. */
#ifdef __cplusplus
static const gaspi_timeout_t GASPI_BLOCK = ~0UL;
static const gaspi_timeout_t GASPI_TEST = 0UL;
static const gaspi_group_t GASPI_GROUP_ALL = 0;
#else
#define GASPI_BLOCK ((gaspi_timeout_t)-1)
#define GASPI_TEST ((gaspi_timeout_t)0)
#define GASPI_GROUP_ALL ((gaspi_group_t)0)
#endif

typedef enum {
  GASPI_ERROR = -1, /* a peer that the call needs is gone, or something that has no code of its own went wrong */
  GASPI_SUCCESS = 0,
  GASPI_TIMEOUT = 1, /* not finished in time; call again to go on */
  GASPI_ERR_EMFILE = 2,
  GASPI_ERR_ENV = 3,
  GASPI_ERR_SN_PORT = 4,
  GASPI_ERR_CONFIG = 5,
  GASPI_ERR_NOINIT = 6,
  GASPI_ERR_INITED = 7,
  GASPI_ERR_NULLPTR = 8,
  GASPI_ERR_INV_SEGSIZE = 9,
  GASPI_ERR_INV_SEG = 10,
  GASPI_ERR_INV_GROUP = 11,
  GASPI_ERR_INV_RANK = 12,
  GASPI_ERR_INV_QUEUE = 13,
  GASPI_ERR_INV_LOC_OFF = 14,
  GASPI_ERR_INV_REM_OFF = 15,
  GASPI_ERR_INV_COMMSIZE = 16,
  GASPI_ERR_INV_NOTIF_VAL = 17,
  GASPI_ERR_INV_NOTIF_ID = 18,
  GASPI_ERR_INV_NUM = 19,
  GASPI_ERR_INV_SIZE = 20,
  GASPI_ERR_MANY_SEG = 21,
  GASPI_ERR_MANY_GRP = 22,
  GASPI_QUEUE_FULL = 23, /* back-pressure: nothing was posted; wait on the queue or take another */
  GASPI_ERR_UNALIGN_OFF = 24,
  GASPI_ERR_ACTIVE_COLL = 25,
  GASPI_ERR_DEVICE = 26,
  GASPI_ERR_SN = 27,
  GASPI_ERR_MEMALLOC = 28
} gaspi_return_t;

typedef gaspi_return_t* gaspi_returns_t; /* one entry a rank */

typedef enum { GASPI_STATE_HEALTHY = 0, GASPI_STATE_CORRUPT = 1 } gaspi_state_t;

typedef gaspi_state_t* gaspi_state_vector_t; /* one entry a rank */

typedef enum { GASPI_MEM_UNINITIALIZED = 0, GASPI_MEM_INITIALIZED = 1, GASPI_ALLOC_DEFAULT = 0 } gaspi_alloc_t;

typedef enum {
  GASPI_IB = 0,
  GASPI_ROCE = 1,
  GASPI_ETHERNET = 2,
  GASPI_GEMINI = 3,
  GASPI_ARIES = 4,
  GASPI_OFI = 5,
  GASPI_SHARED_MEMORY = 6 /* of Polder: ranks of one machine */
} gaspi_network_t;

typedef enum { GASPI_TOPOLOGY_NONE = 0, GASPI_TOPOLOGY_STATIC = 1, GASPI_TOPOLOGY_DYNAMIC = 2 } gaspi_topology_t;

typedef enum { GASPI_OP_MIN = 0, GASPI_OP_MAX = 1, GASPI_OP_SUM = 2 } gaspi_operation_t;

typedef enum {
  GASPI_TYPE_INT = 0,
  GASPI_TYPE_UINT = 1,
  GASPI_TYPE_FLOAT = 2,
  GASPI_TYPE_DOUBLE = 3,
  GASPI_TYPE_LONG = 4,
  GASPI_TYPE_ULONG = 5
} gaspi_datatype_t;

/* What the argument of a statistic counter means. */
typedef enum { GASPI_STATISTIC_ARGUMENT_NONE = 0, GASPI_STATISTIC_ARGUMENT_RANK = 1 } gaspi_statistic_argument_t;

/* Combines `num` elements of two vectors into `result`, which may be the first of them. Commutative and associative. */
typedef gaspi_return_t (*gaspi_reduce_operation_t)(gaspi_pointer_t const operand_one, gaspi_pointer_t const operand_two,
                                                   gaspi_pointer_t const result, gaspi_reduce_state_t const state,
                                                   const gaspi_number_t num, const gaspi_size_t element_size,
                                                   const gaspi_timeout_t timeout_ms);
typedef gaspi_reduce_operation_t gaspi_reduce_operation;

/* Wishes for network devices. Kept and, where a value can be told to be impossible, checked; Polder has no use for
 * them. */
typedef struct gaspi_dev_config {
  gaspi_network_t network_type;
  struct {
    struct {
      gaspi_int netdev_id;
      gaspi_uint mtu; /* 0 (any), 256, 512, 1024, 2048 or 4096 */
      gaspi_uint port_check;
    } ib;
    struct {
      gaspi_uint port;
    } tcp;
    struct {
      int use_shm;
      int provider_info;
      int progress_auto;
    } ofi;
  } params;
} gaspi_dev_config_t;

typedef struct gaspi_config {
  gaspi_uint logger;
  gaspi_uint sn_port;
  gaspi_uint net_info;
  gaspi_uint user_net;
  gaspi_int sn_persistent;
  gaspi_timeout_t sn_timeout; /* milliseconds that calls without a timeout of their own may wait for a peer */
  gaspi_dev_config_t dev_config;

  gaspi_network_t network;         /* a preference */
  gaspi_uint queue_size_max;       /* requests under way in a queue */
  gaspi_uint queue_num;            /* queues that exist after gaspi_proc_init */
  gaspi_number_t group_max;        /* GASPI_GROUP_ALL among them */
  gaspi_number_t segment_max;      /* segments of a rank at a time */
  gaspi_size_t transfer_size_max;  /* bytes of one request */
  gaspi_number_t notification_num; /* flags of each segment */
  gaspi_number_t passive_queue_size_max;
  gaspi_number_t passive_transfer_size_max;
  gaspi_size_t allreduce_buf_size;   /* bytes in gaspi_allreduce_user */
  gaspi_number_t allreduce_elem_max; /* elements in gaspi_allreduce */
  gaspi_number_t rw_list_elem_max;   /* entries of gaspi_write_list and its kin */
  gaspi_topology_t build_infrastructure;
  void* user_defined;
} gaspi_config_t;

#ifdef __cplusplus
}
#endif

#endif
