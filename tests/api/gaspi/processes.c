/* GASPI 17.1, sections 5.3 to 5.5: life of a process, connections, state vector. */
#include "check.h"

static gaspi_return_t never(gaspi_pointer_t const one, gaspi_pointer_t const two, gaspi_pointer_t const result,
                            gaspi_reduce_state_t const state, const gaspi_number_t num, const gaspi_size_t size,
                            const gaspi_timeout_t timeout) {
  (void)one, (void)two, (void)result, (void)state, (void)num, (void)size, (void)timeout;
  return GASPI_ERROR;
}

/* Every call that needs gaspi_proc_init says so. */
static void check_no_init(void) {
  gaspi_rank_t rank = 0;
  gaspi_number_t number = 0;
  gaspi_size_t size = 1;
  gaspi_offset_t offset = 0;
  gaspi_group_t group = 0;
  gaspi_segment_id_t segment = 0;
  gaspi_queue_id_t queue = 0;
  gaspi_pointer_t pointer = NULL;
  gaspi_atomic_value_t value = 0;
  gaspi_notification_id_t id = 0;
  gaspi_notification_t flag = 0;
  gaspi_network_t network = GASPI_IB;
  gaspi_state_t state[1];
  int data = 0;
#define NOINIT(call) EXPECT(GASPI_ERR_NOINIT, call)
  NOINIT(gaspi_proc_rank(&rank));
  NOINIT(gaspi_proc_num(&rank));
  NOINIT(gaspi_proc_term(PATIENCE));
  NOINIT(gaspi_proc_kill(0, PATIENCE));
  NOINIT(gaspi_connect(0, PATIENCE));
  NOINIT(gaspi_disconnect(0, PATIENCE));
  NOINIT(gaspi_state_vec_get(state));
  NOINIT(gaspi_group_create(&group));
  NOINIT(gaspi_group_add(0, 0));
  NOINIT(gaspi_group_commit(0, PATIENCE));
  NOINIT(gaspi_group_delete(0));
  NOINIT(gaspi_group_num(&number));
  NOINIT(gaspi_group_size(0, &number));
  NOINIT(gaspi_group_ranks(0, &rank));
  NOINIT(gaspi_segment_alloc(0, 1, GASPI_ALLOC_DEFAULT));
  NOINIT(gaspi_segment_register(0, 0, PATIENCE));
  NOINIT(gaspi_segment_create(0, 1, 0, PATIENCE, GASPI_ALLOC_DEFAULT));
  NOINIT(gaspi_segment_bind(0, &data, sizeof data, 0));
  NOINIT(gaspi_segment_use(0, &data, sizeof data, 0, PATIENCE, 0));
  NOINIT(gaspi_segment_delete(0));
  NOINIT(gaspi_segment_num(&number));
  NOINIT(gaspi_segment_list(0, &segment));
  NOINIT(gaspi_segment_ptr(0, &pointer));
  NOINIT(gaspi_segment_avail_local(&segment));
  NOINIT(gaspi_segment_size(0, 0, &size));
  NOINIT(gaspi_write(0, 0, 0, 0, 0, 1, 0, PATIENCE));
  NOINIT(gaspi_read(0, 0, 0, 0, 0, 1, 0, PATIENCE));
  NOINIT(gaspi_wait(0, PATIENCE));
  NOINIT(gaspi_notify(0, 0, 0, 1, 0, PATIENCE));
  NOINIT(gaspi_notify_waitsome(0, 0, 1, &id, PATIENCE));
  NOINIT(gaspi_notify_reset(0, 0, &flag));
  NOINIT(gaspi_write_notify(0, 0, 0, 0, 0, 1, 0, 1, 0, PATIENCE));
  NOINIT(gaspi_read_notify(0, 0, 0, 0, 0, 1, 0, 0, PATIENCE));
  NOINIT(gaspi_write_list(1, &segment, &offset, 0, &segment, &offset, &size, 0, PATIENCE));
  NOINIT(gaspi_read_list(1, &segment, &offset, 0, &segment, &offset, &size, 0, PATIENCE));
  NOINIT(gaspi_write_list_notify(1, &segment, &offset, 0, &segment, &offset, &size, 0, 0, 1, 0, PATIENCE));
  NOINIT(gaspi_read_list_notify(1, &segment, &offset, 0, &segment, &offset, &size, 0, 0, 0, PATIENCE));
  NOINIT(gaspi_queue_create(&queue, PATIENCE));
  NOINIT(gaspi_queue_delete(0));
  NOINIT(gaspi_queue_size(0, &number));
  NOINIT(gaspi_queue_purge(0, PATIENCE));
  NOINIT(gaspi_passive_send(0, 0, 0, 1, PATIENCE));
  NOINIT(gaspi_passive_receive(0, 0, &rank, 1, PATIENCE));
  NOINIT(gaspi_passive_queue_purge(PATIENCE));
  NOINIT(gaspi_atomic_fetch_add(0, 0, 0, 1, &value, PATIENCE));
  NOINIT(gaspi_atomic_compare_swap(0, 0, 0, 1, 1, &value, PATIENCE));
  NOINIT(gaspi_barrier(0, PATIENCE));
  NOINIT(gaspi_allreduce(&data, &data, 1, GASPI_OP_SUM, GASPI_TYPE_INT, 0, PATIENCE));
  NOINIT(gaspi_allreduce_user(&data, &data, 1, sizeof data, never, NULL, 0, PATIENCE));
  NOINIT(gaspi_group_max(&number));
  NOINIT(gaspi_segment_max(&number));
  NOINIT(gaspi_queue_num(&number));
  NOINIT(gaspi_queue_size_max(&number));
  NOINIT(gaspi_queue_max(&number));
  NOINIT(gaspi_transfer_size_max(&size));
  NOINIT(gaspi_transfer_size_min(&size));
  NOINIT(gaspi_notification_num(&number));
  NOINIT(gaspi_passive_transfer_size_max(&size));
  NOINIT(gaspi_passive_transfer_size_min(&size));
  NOINIT(gaspi_atomic_max(&value));
  NOINIT(gaspi_allreduce_buf_size(&size));
  NOINIT(gaspi_allreduce_elem_max(&number));
  NOINIT(gaspi_rw_list_elem_max(&number));
  NOINIT(gaspi_network_type(&network));
  NOINIT(gaspi_build_infrastructure(&number));
  NOINIT(gaspi_proc_local_rank(&rank));
  NOINIT(gaspi_proc_local_num(&rank));
  NOINIT(gaspi_proc_ping(0, PATIENCE));
#undef NOINIT
  SUCCEED(gaspi_initialized(&number));
  CHECK(number == 0);
}

static void check_identity(void) {
  gaspi_rank_t local = 0;
  gaspi_rank_t local_num = 0;
  SUCCEED(gaspi_proc_local_rank(&local));
  SUCCEED(gaspi_proc_local_num(&local_num));
  CHECK(my_rank() < num_ranks());
  CHECK(local < local_num && local_num <= num_ranks());
  EXPECT(GASPI_ERR_NULLPTR, gaspi_proc_rank(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_proc_num(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_proc_local_rank(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_proc_local_num(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_initialized(NULL));

  /* Each rank is there once: the sum of 1 << rank has all bits. */
  gaspi_ulong mine = 1ul << my_rank();
  gaspi_ulong all = 0;
  SUCCEED(gaspi_allreduce(&mine, &all, 1, GASPI_OP_SUM, GASPI_TYPE_ULONG, GASPI_GROUP_ALL, PATIENCE));
  CHECK(all == (1ul << num_ranks()) - 1);
}

static void check_peers(void) {
  const gaspi_rank_t num = num_ranks();
  gaspi_state_t states[64];
  memset(states, 0xff, sizeof states);
  SUCCEED(gaspi_state_vec_get(states));
  for (gaspi_rank_t rank = 0; rank < num; ++rank) {
    CHECK(states[rank] == GASPI_STATE_HEALTHY);
    SUCCEED(gaspi_connect(rank, PATIENCE));
    SUCCEED(gaspi_proc_ping(rank, PATIENCE));
    SUCCEED(gaspi_disconnect(rank, PATIENCE));
  }
  EXPECT(GASPI_ERR_NULLPTR, gaspi_state_vec_get(NULL));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_connect(num, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_disconnect(num, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_proc_ping(num, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_proc_kill(num, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_proc_kill(my_rank(), PATIENCE));
}

static void live(void) {
  gaspi_number_t number = 0;
  SUCCEED(gaspi_proc_init(PATIENCE));
  EXPECT(GASPI_ERR_INITED, gaspi_proc_init(PATIENCE));
  SUCCEED(gaspi_initialized(&number));
  CHECK(number == 1);
  check_identity();
  check_peers();
  create_segment(3, 4096); /* left for gaspi_proc_term to free: the next life makes it again */
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
}

/* An initialisation that runs out of time is gone on with. */
static void init_in_steps(void) {
  gaspi_return_t code = GASPI_TIMEOUT;
  for (const double end = now_ms() + PATIENCE; code == GASPI_TIMEOUT && now_ms() < end;) code = gaspi_proc_init(1);
  EXPECT(GASPI_SUCCESS, code);
  barrier();
  SUCCEED(gaspi_proc_term(GASPI_BLOCK));
}

/* A rank that is alone with its work answers a ping between two looks of the one who asks, and not while that looks. */
static void ping_in_steps(void) {
  enum { LAST = 20 };
  gaspi_notification_id_t first = 0;
  gaspi_notification_t value = 0;
  gaspi_return_t code = GASPI_TIMEOUT;
  CHECK(setenv("POLDER_HELPER", "none", 1) == 0);
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  barrier();
  for (gaspi_notification_t turn = 1; num_ranks() > 1 && my_rank() == 0 && turn <= LAST; ++turn) {
    if (code == GASPI_TIMEOUT) code = gaspi_proc_ping(1, GASPI_TEST);
    SUCCEED(gaspi_notify(0, 1, 0, turn, 0, PATIENCE));
    CHECK(take_flag(0, 0) == turn);
  }
  while (my_rank() == 1 && value != LAST) {
    while (gaspi_notify_waitsome(0, 0, 1, &first, GASPI_TEST) == GASPI_TIMEOUT) sleep_ms(2);
    value = take_flag(0, 0);
    SUCCEED(gaspi_notify(0, 0, 0, value, 0, PATIENCE));
  }
  if (num_ranks() > 1 && my_rank() == 0) EXPECT(GASPI_SUCCESS, code);
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  CHECK(unsetenv("POLDER_HELPER") == 0);
}

/* Without an argument all of it; "steps": only the start, in short calls. */
int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "steps") == 0) {
    init_in_steps();
    return EXIT_SUCCESS;
  }
  check_no_init();
  live();
  check_no_init();
  live();
  init_in_steps();
  ping_in_steps();
  return EXIT_SUCCESS;
}
