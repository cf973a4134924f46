/* GASPI 17.1, section 12, with the defaults. */
#include "check.h"

#define VALUE(type, call, expected)                \
  do {                                             \
    type value = 0;                                \
    SUCCEED(gaspi_##call(&value));                 \
    CHECK(value == (expected));                    \
    EXPECT(GASPI_ERR_NULLPTR, gaspi_##call(NULL)); \
  } while (0)

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  VALUE(gaspi_number_t, group_max, 32u);
  VALUE(gaspi_number_t, segment_max, 255u);
  VALUE(gaspi_number_t, queue_num, 8u);
  VALUE(gaspi_number_t, queue_size_max, 1024u);
  VALUE(gaspi_number_t, queue_max, 16u);
  VALUE(gaspi_size_t, transfer_size_min, 0ul);
  VALUE(gaspi_size_t, transfer_size_max, 1ul << 30);
  VALUE(gaspi_number_t, notification_num, 65536u);
  VALUE(gaspi_size_t, passive_transfer_size_min, 1ul);
  VALUE(gaspi_size_t, passive_transfer_size_max, 65535ul);
  VALUE(gaspi_atomic_value_t, atomic_max, ~0ul);
  VALUE(gaspi_size_t, allreduce_buf_size, 2040ul);
  VALUE(gaspi_number_t, allreduce_elem_max, 255u);
  VALUE(gaspi_number_t, rw_list_elem_max, 255u);
  VALUE(gaspi_network_t, network_type, GASPI_SHARED_MEMORY);
  VALUE(gaspi_number_t, build_infrastructure, (gaspi_number_t)GASPI_TOPOLOGY_STATIC);
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
