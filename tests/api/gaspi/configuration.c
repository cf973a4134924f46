/* GASPI 17.1, section 5.2: defaults, what is refused, and that what is accepted is kept to the letter. */
#include "check.h"

static gaspi_config_t get(void) {
  gaspi_config_t config;
  memset(&config, 0xff, sizeof config);
  SUCCEED(gaspi_config_get(&config));
  return config;
}

static void check_defaults(void) {
  const gaspi_config_t config = get();
  CHECK(config.logger == 1 && config.sn_port == 12121 && config.net_info == 0 && config.user_net == 0);
  CHECK(config.sn_persistent == 1 && config.sn_timeout == 30000);
  CHECK(config.queue_size_max == 1024 && config.queue_num == 8 && config.group_max == 32 && config.segment_max == 255);
  CHECK(config.transfer_size_max == 1ul << 30 && config.notification_num == 65536);
  CHECK(config.passive_queue_size_max == 1024 && config.passive_transfer_size_max == 65535);
  CHECK(config.allreduce_buf_size == 2040 && config.allreduce_elem_max == 255 && config.rw_list_elem_max == 255);
  CHECK(config.build_infrastructure == GASPI_TOPOLOGY_STATIC && config.user_defined == NULL);
}

#define REFUSED(field, value)                           \
  do {                                                  \
    gaspi_config_t config = get();                      \
    config.field = value;                               \
    EXPECT(GASPI_ERR_CONFIG, gaspi_config_set(config)); \
  } while (0)

#define ACCEPTED(field, value)         \
  do {                                 \
    gaspi_config_t config = get();     \
    config.field = value;              \
    SUCCEED(gaspi_config_set(config)); \
    CHECK(get().field == (value));     \
  } while (0)

static void check_ranges(void) {
  REFUSED(queue_num, 0);
  REFUSED(queue_num, 17);
  REFUSED(queue_size_max, 0);
  REFUSED(group_max, 0);
  REFUSED(group_max, 256);
  REFUSED(segment_max, 0);
  REFUSED(segment_max, 256);
  REFUSED(transfer_size_max, 0);
  REFUSED(notification_num, 4000000000u);
  REFUSED(passive_queue_size_max, 0);
  REFUSED(passive_transfer_size_max, 0);
  REFUSED(allreduce_buf_size, 0);
  REFUSED(allreduce_elem_max, 0);
  REFUSED(rw_list_elem_max, 0);
  REFUSED(network, (gaspi_network_t)99);
  REFUSED(build_infrastructure, (gaspi_topology_t)3);
  REFUSED(sn_port, 0);
  REFUSED(sn_port, 65536);
  REFUSED(net_info, 2);
  REFUSED(user_net, 2);
  REFUSED(dev_config.network_type, (gaspi_network_t)99);
  REFUSED(dev_config.params.ib.mtu, 1000);
  REFUSED(dev_config.params.ib.port_check, 2);
  REFUSED(dev_config.params.tcp.port, 70000);
  check_defaults(); /* what was refused has changed nothing */

  ACCEPTED(queue_num, 16u);
  ACCEPTED(queue_num, 8u);
  ACCEPTED(group_max, 255u);
  ACCEPTED(segment_max, 1u);
  ACCEPTED(notification_num, 0u);
  ACCEPTED(notification_num, 131072u);
  ACCEPTED(allreduce_elem_max, 1u << 24);
  ACCEPTED(network, GASPI_ETHERNET);
  ACCEPTED(network, GASPI_IB);
}

static void check_segment_max(void) {
  gaspi_segment_id_t id = 0;
  for (unsigned n = 0; n < 48; ++n)
    SUCCEED(gaspi_segment_alloc((gaspi_segment_id_t)(200 - n), 64, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_MANY_SEG, gaspi_segment_alloc(0, 64, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_MANY_SEG, gaspi_segment_create(0, 64, GASPI_GROUP_ALL, PATIENCE, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_MANY_SEG, gaspi_segment_avail_local(&id));
  SUCCEED(gaspi_segment_delete(200));
  SUCCEED(gaspi_segment_avail_local(&id));
  CHECK(id == 0);
  SUCCEED(gaspi_segment_alloc(0, 64, GASPI_ALLOC_DEFAULT));
}

static void check_group_max(void) {
  gaspi_group_t group = 0;
  for (unsigned n = 1; n < 255; ++n) SUCCEED(gaspi_group_create(&group));
  EXPECT(GASPI_ERR_MANY_GRP, gaspi_group_create(&group));
}

static void check_notification_num(void) {
  gaspi_notification_id_t first = 0;
  gaspi_notification_t value = 0;
  SUCCEED(gaspi_notify(0, my_rank(), 130000, 7, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_notify(0, my_rank(), 131072, 7, 0, PATIENCE));
  SUCCEED(gaspi_notify_waitsome(0, 0, 131072, &first, PATIENCE));
  CHECK(first == 130000);
  SUCCEED(gaspi_notify_reset(0, first, &value));
  CHECK(value == 7);
}

int main(void) {
  EXPECT(GASPI_ERR_NULLPTR, gaspi_config_get(NULL));
  check_defaults();
  check_ranges();

  gaspi_config_t config = get();
  config.segment_max = 48;
  config.group_max = 255;
  config.queue_num = 3;
  config.queue_size_max = 77;
  config.transfer_size_max = 32;
  config.notification_num = 131072;
  config.passive_transfer_size_max = 16;
  config.allreduce_elem_max = 4;
  config.allreduce_buf_size = 24;
  config.rw_list_elem_max = 2;
  config.network = GASPI_ETHERNET;
  config.user_defined = &config;
  SUCCEED(gaspi_config_set(config));
  SUCCEED(gaspi_proc_init(PATIENCE));
  EXPECT(GASPI_ERR_INITED, gaspi_config_set(config));
  CHECK(get().segment_max == 48 && get().user_defined == &config);

  check_segment_max();
  check_group_max();
  check_notification_num();
  gaspi_number_t number = 0;
  SUCCEED(gaspi_queue_num(&number));
  CHECK(number == 3);
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_wait(3, PATIENCE));
  SUCCEED(gaspi_write(0, 0, my_rank(), 0, 32, 32, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_COMMSIZE, gaspi_write(0, 0, my_rank(), 0, 0, 33, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_COMMSIZE, gaspi_passive_send(0, 0, my_rank(), 17, GASPI_TEST));
  int values[5] = {1, 2, 3, 4, 5};
  SUCCEED(gaspi_allreduce(values, values, 4, GASPI_OP_MAX, GASPI_TYPE_INT, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_NUM,
         gaspi_allreduce(values, values, 5, GASPI_OP_MAX, GASPI_TYPE_INT, GASPI_GROUP_ALL, PATIENCE));
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  CHECK(get().segment_max == 48); /* for the next life */
  return EXIT_SUCCESS;
}
