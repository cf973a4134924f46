/* The binary interface, as programs were compiled for it: x86-64 Linux. Compiling is the test. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stddef.h>

#define HOLDS_2(condition, line) typedef char holds_##line[(condition) ? 1 : -1]
#define HOLDS_1(condition, line) HOLDS_2(condition, line)
#define HOLDS(condition) HOLDS_1(condition, __LINE__)
#define AT(type, field, where) HOLDS(offsetof(type, field) == (where))

HOLDS(sizeof(dart_ret_t) == 4 && DART_PENDING == 1 && DART_ERR_INVAL == 2 && DART_ERR_NOTFOUND == 3);
HOLDS(DART_ERR_NOTINIT == 4 && DART_ERR_NOMEM == 5 && DART_ERR_OTHER == 999 && DART_EXIT_ASSERT == -6);
HOLDS(sizeof(dart_global_unit_t) == 4 && sizeof(dart_team_unit_t) == 4 && sizeof(dart_team_t) == 2);
HOLDS(sizeof(dart_datatype_t) == 8 && sizeof(dart_operation_t) == 8 && sizeof(dart_handle_t) == 8);
HOLDS(sizeof(dart_thread_support_level_t) == 4 && DART_THREAD_SINGLE == 0 && DART_THREAD_MULTIPLE == 10);
HOLDS(DART_TYPE_BYTE == 1 && DART_TYPE_SHORT == 2 && DART_TYPE_INT == 3 && DART_TYPE_UINT == 4 && DART_TYPE_LONG == 5);
HOLDS(DART_TYPE_ULONG == 6 && DART_TYPE_LONGLONG == 7 && DART_TYPE_ULONGLONG == 8 && DART_TYPE_FLOAT == 9);
HOLDS(DART_TYPE_DOUBLE == 10 && DART_TYPE_LONG_DOUBLE == 11 && DART_TYPE_LAST == 12);
HOLDS(DART_TYPE_SIZET == DART_TYPE_ULONGLONG);
HOLDS(DART_OP_MIN == 1 && DART_OP_MAX == 2 && DART_OP_MINMAX == 3 && DART_OP_SUM == 4 && DART_OP_PROD == 5);
HOLDS(DART_OP_BAND == 6 && DART_OP_LAND == 7 && DART_OP_BOR == 8 && DART_OP_LOR == 9 && DART_OP_BXOR == 10);
HOLDS(DART_OP_LXOR == 11 && DART_OP_REPLACE == 12 && DART_OP_NO_OP == 13 && DART_OP_LAST == 14);
HOLDS(DART_TEAM_ALL == 0 && DART_TEAM_NULL == -1 && DART_UNDEFINED_TEAM_ID == -1 && DART_SEGMENT_LOCAL == 0);

HOLDS(sizeof(dart_gptr_t) == 16);
AT(dart_gptr_t, segid, 4);
AT(dart_gptr_t, teamid, 6);
AT(dart_gptr_t, addr_or_offs, 8);
HOLDS(sizeof(dart_config_t) == 4);

HOLDS(DART_LOCALITY_SCOPE_UNDEFINED == -1 && DART_LOCALITY_SCOPE_GLOBAL == 0 && DART_LOCALITY_SCOPE_GROUP == 1);
HOLDS(DART_LOCALITY_SCOPE_NETWORK == 50 && DART_LOCALITY_SCOPE_NODE == 100 && DART_LOCALITY_SCOPE_MODULE == 200);
HOLDS(DART_LOCALITY_SCOPE_NUMA == 300 && DART_LOCALITY_SCOPE_UNIT == 400 && DART_LOCALITY_SCOPE_PACKAGE == 500);
HOLDS(DART_LOCALITY_SCOPE_UNCORE == 510 && DART_LOCALITY_SCOPE_CACHE == 530 && DART_LOCALITY_SCOPE_CORE == 550);
HOLDS(DART_LOCALITY_SCOPE_CPU == 600 && DART_LOCALITY_UNIT_MAX_CPUS == 64 && DART_LOCALITY_MAX_NUMA_ID == 16);
HOLDS(DART_LOCALITY_HOST_MAX_SIZE == 64 && sizeof(dart_locality_scope_pos_t) == 8);

HOLDS(sizeof(dart_hwinfo_t) == 276);
AT(dart_hwinfo_t, num_cores, 64);
AT(dart_hwinfo_t, num_numa, 68);
AT(dart_hwinfo_t, numa_id, 72);
AT(dart_hwinfo_t, num_sockets, 76);
AT(dart_hwinfo_t, core_id, 80);
AT(dart_hwinfo_t, cpu_id, 84);
AT(dart_hwinfo_t, min_cpu_mhz, 88);
AT(dart_hwinfo_t, max_cpu_mhz, 92);
AT(dart_hwinfo_t, cache_sizes, 96);
AT(dart_hwinfo_t, cache_line_sizes, 116);
AT(dart_hwinfo_t, cache_ids, 136);
AT(dart_hwinfo_t, min_threads, 156);
AT(dart_hwinfo_t, max_threads, 160);
AT(dart_hwinfo_t, max_shmem_mbps, 164);
AT(dart_hwinfo_t, system_memory_bytes, 168);
AT(dart_hwinfo_t, numa_memory_bytes, 172);
AT(dart_hwinfo_t, scopes, 176);
AT(dart_hwinfo_t, num_scopes, 272);

HOLDS(sizeof(dart_module_location_t) == 136);
AT(dart_module_location_t, pos, 128);
HOLDS(sizeof(dart_unit_locality_t) == 316);
AT(dart_unit_locality_t, team, 4);
AT(dart_unit_locality_t, hwinfo, 8);
AT(dart_unit_locality_t, domain_tag, 284);

HOLDS(sizeof(dart_domain_locality_t) == 192);
AT(dart_domain_locality_t, domain_tag, 64);
AT(dart_domain_locality_t, aliases, 96);
AT(dart_domain_locality_t, num_aliases, 104);
AT(dart_domain_locality_t, scope, 108);
AT(dart_domain_locality_t, level, 112);
AT(dart_domain_locality_t, global_index, 116);
AT(dart_domain_locality_t, relative_index, 120);
AT(dart_domain_locality_t, parent, 128);
AT(dart_domain_locality_t, num_domains, 136);
AT(dart_domain_locality_t, children, 144);
AT(dart_domain_locality_t, is_symmetric, 152);
AT(dart_domain_locality_t, team, 156);
AT(dart_domain_locality_t, num_units, 160);
AT(dart_domain_locality_t, unit_ids, 168);
AT(dart_domain_locality_t, num_nodes, 176);
AT(dart_domain_locality_t, node_id, 180);
AT(dart_domain_locality_t, num_cores, 184);
AT(dart_domain_locality_t, shared_mem_bytes, 188);

#endif
