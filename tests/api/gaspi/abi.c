/* The binary interface, checked by the compiler: widths, layouts and numbers that existing programs and tools were
 * compiled for. */
#include <GASPI.h>
#include <GASPI_Ext.h>
#include <PGASPI.h>
#include <PGASPI_Ext.h>

#include <stddef.h>

#define SAME(a, b) _Static_assert(__builtin_types_compatible_p(a, b), #a)
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define IS(name, value) _Static_assert((name) == (value), #name)

SAME(gaspi_timeout_t, unsigned long);
SAME(gaspi_rank_t, unsigned short);
SAME(gaspi_size_t, unsigned long);
SAME(gaspi_offset_t, unsigned long);
SAME(gaspi_notification_id_t, unsigned int);
SAME(gaspi_notification_t, unsigned int);
SAME(gaspi_pointer_t, void*);
SAME(gaspi_reduce_state_t, void*);
SAME(gaspi_cycles_t, unsigned long);
SAME(gaspi_string_t, char*);
SAME(gaspi_segment_id_t, unsigned char);
SAME(gaspi_queue_id_t, unsigned char);
SAME(gaspi_group_t, unsigned char);
SAME(gaspi_number_t, unsigned int);
SAME(gaspi_atomic_value_t, unsigned long);
SAME(gaspi_time_t, float);
SAME(gaspi_statistic_counter_t, unsigned int);
SAME(gaspi_memory_description_t, int);
SAME(gaspi_state_vector_t, gaspi_state_t*);
SAME(gaspi_uchar, unsigned char);
SAME(gaspi_ushort, unsigned short);
SAME(gaspi_uint, unsigned int);
SAME(gaspi_ulong, unsigned long);

IS(sizeof(gaspi_return_t), 4);
IS(sizeof(gaspi_state_t), 4);
IS(sizeof(gaspi_alloc_t), 4);
IS(sizeof(gaspi_network_t), 4);
IS(sizeof(gaspi_topology_t), 4);
IS(sizeof(gaspi_operation_t), 4);
IS(sizeof(gaspi_datatype_t), 4);

IS(sizeof(gaspi_dev_config_t), 32);
AT(gaspi_dev_config_t, params.ib.netdev_id, 4);
AT(gaspi_dev_config_t, params.ib.mtu, 8);
AT(gaspi_dev_config_t, params.ib.port_check, 12);
AT(gaspi_dev_config_t, params.tcp.port, 16);
AT(gaspi_dev_config_t, params.ofi.use_shm, 20);
AT(gaspi_dev_config_t, params.ofi.provider_info, 24);
AT(gaspi_dev_config_t, params.ofi.progress_auto, 28);

IS(sizeof(gaspi_config_t), 144);
AT(gaspi_config_t, logger, 0);
AT(gaspi_config_t, sn_port, 4);
AT(gaspi_config_t, net_info, 8);
AT(gaspi_config_t, user_net, 12);
AT(gaspi_config_t, sn_persistent, 16);
AT(gaspi_config_t, sn_timeout, 24);
AT(gaspi_config_t, dev_config, 32);
AT(gaspi_config_t, network, 64);
AT(gaspi_config_t, queue_size_max, 68);
AT(gaspi_config_t, queue_num, 72);
AT(gaspi_config_t, group_max, 76);
AT(gaspi_config_t, segment_max, 80);
AT(gaspi_config_t, transfer_size_max, 88);
AT(gaspi_config_t, notification_num, 96);
AT(gaspi_config_t, passive_queue_size_max, 100);
AT(gaspi_config_t, passive_transfer_size_max, 104);
AT(gaspi_config_t, allreduce_buf_size, 112);
AT(gaspi_config_t, allreduce_elem_max, 120);
AT(gaspi_config_t, rw_list_elem_max, 124);
AT(gaspi_config_t, build_infrastructure, 128);
AT(gaspi_config_t, user_defined, 136);

IS(GASPI_BLOCK, ~0ul);
IS(GASPI_TEST, 0);
IS(GASPI_GROUP_ALL, 0);
IS(GASPI_ERROR, -1);
IS(GASPI_SUCCESS, 0);
IS(GASPI_TIMEOUT, 1);
IS(GASPI_ERR_EMFILE, 2);
IS(GASPI_ERR_ENV, 3);
IS(GASPI_ERR_SN_PORT, 4);
IS(GASPI_ERR_CONFIG, 5);
IS(GASPI_ERR_NOINIT, 6);
IS(GASPI_ERR_INITED, 7);
IS(GASPI_ERR_NULLPTR, 8);
IS(GASPI_ERR_INV_SEGSIZE, 9);
IS(GASPI_ERR_INV_SEG, 10);
IS(GASPI_ERR_INV_GROUP, 11);
IS(GASPI_ERR_INV_RANK, 12);
IS(GASPI_ERR_INV_QUEUE, 13);
IS(GASPI_ERR_INV_LOC_OFF, 14);
IS(GASPI_ERR_INV_REM_OFF, 15);
IS(GASPI_ERR_INV_COMMSIZE, 16);
IS(GASPI_ERR_INV_NOTIF_VAL, 17);
IS(GASPI_ERR_INV_NOTIF_ID, 18);
IS(GASPI_ERR_INV_NUM, 19);
IS(GASPI_ERR_INV_SIZE, 20);
IS(GASPI_ERR_MANY_SEG, 21);
IS(GASPI_ERR_MANY_GRP, 22);
IS(GASPI_QUEUE_FULL, 23);
IS(GASPI_ERR_UNALIGN_OFF, 24);
IS(GASPI_ERR_ACTIVE_COLL, 25);
IS(GASPI_ERR_DEVICE, 26);
IS(GASPI_ERR_SN, 27);
IS(GASPI_ERR_MEMALLOC, 28);
IS(GASPI_OP_MIN, 0);
IS(GASPI_OP_MAX, 1);
IS(GASPI_OP_SUM, 2);
IS(GASPI_TYPE_INT, 0);
IS(GASPI_TYPE_UINT, 1);
IS(GASPI_TYPE_FLOAT, 2);
IS(GASPI_TYPE_DOUBLE, 3);
IS(GASPI_TYPE_LONG, 4);
IS(GASPI_TYPE_ULONG, 5);
IS(GASPI_IB, 0);
IS(GASPI_ROCE, 1);
IS(GASPI_ETHERNET, 2);
IS(GASPI_GEMINI, 3);
IS(GASPI_ARIES, 4);
IS(GASPI_OFI, 5);
IS(GASPI_MEM_UNINITIALIZED, 0);
IS(GASPI_MEM_INITIALIZED, 1);
IS(GASPI_ALLOC_DEFAULT, 0);
IS(GASPI_STATE_HEALTHY, 0);
IS(GASPI_STATE_CORRUPT, 1);
IS(GASPI_TOPOLOGY_NONE, 0);
IS(GASPI_TOPOLOGY_STATIC, 1);
IS(GASPI_TOPOLOGY_DYNAMIC, 2);
IS(GASPI_STATISTIC_ARGUMENT_NONE, 0);
IS(GASPI_STATISTIC_ARGUMENT_RANK, 1);

int main(void) {
  return 0;
}
