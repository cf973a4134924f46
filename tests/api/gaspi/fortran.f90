! The Fortran modules: layouts, arguments by value and by reference, arrays, callbacks, and a ring of messages.
module reducer
  use gaspi_c_binding
  implicit none
contains
  ! result = one + two, 64-bit integers.
  function add(one, two, result, state, num, element_size, timeout_ms) result(code) bind(c)
    type(c_ptr), value :: one, two, result, state
    integer(gaspi_number_t), value :: num
    integer(gaspi_size_t), value :: element_size
    integer(gaspi_timeout_t), value :: timeout_ms
    integer(gaspi_return_t) :: code
    integer(c_long), pointer :: a(:), b(:), sum(:)
    code = GASPI_ERROR
    if (element_size /= 8 .or. timeout_ms == 0 .or. c_associated(state)) return
    call c_f_pointer(one, a, [num])
    call c_f_pointer(two, b, [num])
    call c_f_pointer(result, sum, [num])
    sum = a + b
    code = GASPI_SUCCESS
  end function
end module

program fortran
  use GASPI
  use GASPI_Ext
  use reducer
  implicit none
  integer(gaspi_timeout_t), parameter :: patience = 30000
  integer(gaspi_rank_t) :: me, num
  integer(c_int), pointer :: words(:)

  call configure()
  call succeed(gaspi_proc_init(patience), 'gaspi_proc_init')
  call succeed(gaspi_proc_rank(me), 'gaspi_proc_rank')
  call succeed(gaspi_proc_num(num), 'gaspi_proc_num')
  call make_segment()
  call ring()
  call list()
  call collectives()
  call exchanges()
  call others()
  call as_printed()
  call succeed(gaspi_proc_term(GASPI_BLOCK), 'gaspi_proc_term')

contains

  subroutine check(truth, what)
    logical, intent(in) :: truth
    character(*), intent(in) :: what
    if (truth) return
    print *, 'failed: ', what
    stop 1
  end subroutine

  subroutine succeed(code, what)
    integer(gaspi_return_t), intent(in) :: code
    character(*), intent(in) :: what
    if (code /= GASPI_SUCCESS) print *, what, ' gave ', code
    call check(code == GASPI_SUCCESS, what)
  end subroutine

  ! By value and back: a field that lies elsewhere in C would not come back, or be refused.
  subroutine configure()
    type(gaspi_config_t) :: config, seen
    call check(c_sizeof(config) == 144, 'the size of gaspi_config_t')
    call succeed(gaspi_config_get(config), 'gaspi_config_get')
    call check(config%sn_port == 12121 .and. config%sn_timeout == 30000, 'sn_port, sn_timeout')
    call check(config%queue_num == 8 .and. config%group_max == 32, 'queue_num, group_max')
    call check(config%notification_num == 65536 .and. config%allreduce_buf_size == 2040, 'notification_num')
    call check(config%build_infrastructure == GASPI_TOPOLOGY_STATIC, 'build_infrastructure')
    call check(.not. c_associated(config%user_defined), 'user_defined')
    config%segment_max = 3
    config%dev_config%params%ofi%progress_auto = 5
    call succeed(gaspi_config_set(config), 'gaspi_config_set')
    call succeed(gaspi_config_get(seen), 'gaspi_config_get')
    call check(seen%segment_max == 3 .and. seen%dev_config%params%ofi%progress_auto == 5, 'config_set')
    config%queue_num = 0
    call check(gaspi_config_set(config) == GASPI_ERR_CONFIG, 'no queues')
  end subroutine

  subroutine make_segment()
    type(c_ptr) :: pointer
    call succeed(gaspi_segment_create(0_gaspi_segment_id_t, 4096_gaspi_size_t, GASPI_GROUP_ALL, patience, &
        GASPI_MEM_INITIALIZED), 'gaspi_segment_create')
    call succeed(gaspi_segment_ptr(0_gaspi_segment_id_t, pointer), 'gaspi_segment_ptr')
    call c_f_pointer(pointer, words, [1024])
    call check(all(words(31:) == 0), 'zeroed memory, where no neighbour has written yet')
  end subroutine

  ! Word 1 to word 2 of the next rank, with a notification.
  subroutine ring()
    integer(gaspi_notification_id_t) :: first
    integer(gaspi_notification_t) :: value
    words(1) = 100 + me
    call succeed(gaspi_write_notify(0_gaspi_segment_id_t, 0_gaspi_offset_t, int(mod(me + 1, int(num)), gaspi_rank_t), &
        0_gaspi_segment_id_t, 4_gaspi_offset_t, 4_gaspi_size_t, 7, 9, 0_gaspi_queue_id_t, patience), 'gaspi_write_notify')
    call succeed(gaspi_notify_waitsome(0_gaspi_segment_id_t, 0, 16, first, patience), 'gaspi_notify_waitsome')
    call check(first == 7, 'the number of the notification')
    call succeed(gaspi_notify_reset(0_gaspi_segment_id_t, first, value), 'gaspi_notify_reset')
    call check(value == 9 .and. words(2) == 100 + mod(me + num - 1, int(num)), 'what came around the ring')
    call succeed(gaspi_wait(0_gaspi_queue_id_t, patience), 'gaspi_wait')
  end subroutine

  ! Two words of the next rank by one list.
  subroutine list()
    integer(gaspi_segment_id_t) :: segments(2)
    integer(gaspi_rank_t) :: next_rank
    segments = 0
    words(11:12) = [me + 10, me + 20]
    next_rank = int(mod(me + 1, int(num)), gaspi_rank_t)
    call succeed(gaspi_barrier(GASPI_GROUP_ALL, patience), 'gaspi_barrier')
    call succeed(gaspi_read_list(2, segments, [80_gaspi_offset_t, 88_gaspi_offset_t], next_rank, segments, &
        [40_gaspi_offset_t, 44_gaspi_offset_t], [4_gaspi_size_t, 4_gaspi_size_t], 0_gaspi_queue_id_t, patience), &
        'gaspi_read_list')
    call succeed(gaspi_wait(0_gaspi_queue_id_t, patience), 'gaspi_wait')
    call check(words(21) == next_rank + 10 .and. words(23) == next_rank + 20, 'what the list brought')
  end subroutine

  subroutine collectives()
    real(c_double), target :: mine(2), total(2)
    integer(c_long), target :: ones(3), sums(3)
    mine = [real(me, c_double), 0.5d0]
    call succeed(gaspi_allreduce(c_loc(mine), c_loc(total), 2, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, patience), &
        'gaspi_allreduce')
    call check(all(total == [num * (num - 1) / 2.0d0, 0.5d0 * num]), 'the sum of doubles')
    ones = [1, 2, 3]
    call succeed(gaspi_allreduce_user(c_loc(ones), c_loc(sums), 3, 8_gaspi_size_t, c_funloc(add), c_null_ptr, &
        GASPI_GROUP_ALL, patience), 'gaspi_allreduce_user')
    call check(all(sums == num * ones), 'the sum of integers')
  end subroutine

  ! Calls by keyword with the names that the specification prints, arrays and texts as it prints them.
  subroutine as_printed()
    integer(gaspi_segment_id_t), target :: segments(2), seen(3)
    integer(gaspi_offset_t), target :: local(2), remote(2)
    integer(gaspi_size_t), target :: sizes(2)
    integer(gaspi_rank_t), target :: ranks(num)
    integer(gaspi_state_t), target :: states(num)
    real(c_double), target :: mine(1), total(1)
    character(c_char) :: name(GASPI_TEXT_SIZE), about(GASPI_TEXT_SIZE), text(GASPI_TEXT_SIZE)
    integer(gaspi_statistic_argument_t) :: argument
    integer(gaspi_notification_id_t) :: first
    integer(gaspi_notification_t) :: old
    integer(gaspi_atomic_value_t) :: value
    integer(gaspi_number_t) :: level, count
    integer(gaspi_rank_t) :: from
    integer(gaspi_queue_id_t) :: queue
    type(c_ptr) :: memory
    integer :: i
    segments = 0
    local = [200, 208]
    remote = [40, 44]
    sizes = 4
    call succeed(gaspi_read_list(num=2, segment_id_local=c_loc(segments), offset_local=c_loc(local), rank=me, &
        segment_id_remote=c_loc(segments), offset_remote=c_loc(remote), size=c_loc(sizes), queue=0_gaspi_queue_id_t, &
        timeout_ms=patience), 'gaspi_read_list as printed')
    call succeed(gaspi_wait(queue=0_gaspi_queue_id_t, timeout_ms=patience), 'gaspi_wait')
    call check(words(51) == me + 10 .and. words(53) == me + 20, 'what the list as printed brought')
    local = [40, 44]
    remote = [220, 228]
    call succeed(gaspi_write_list_notify(num=2, segment_id_local=c_loc(segments), offset_local=c_loc(local), rank=me, &
        segment_id_remote=c_loc(segments), offset_remote=c_loc(remote), size=c_loc(sizes), &
        segment_id_notification=0_gaspi_segment_id_t, notification_id=3, notification_value=5, queue=0_gaspi_queue_id_t, &
        timeout_ms=patience), 'gaspi_write_list_notify as printed')
    call succeed(gaspi_notify_waitsome(segment_id_local=0_gaspi_segment_id_t, notification_begin=3, num=1, first_id=first, &
        timeout_ms=patience), 'gaspi_notify_waitsome')
    call succeed(gaspi_notify_reset(0_gaspi_segment_id_t, notification_id=first, old_notification_val=old), &
        'gaspi_notify_reset')
    call check(old == 5 .and. words(56) == me + 10 .and. words(58) == me + 20, 'what the written list brought')

    call succeed(gaspi_group_ranks(GASPI_GROUP_ALL, group_ranks=c_loc(ranks)), 'gaspi_group_ranks')
    call check(all(ranks == [(i, i = 0, num - 1)]), 'the ranks of the group')
    call succeed(gaspi_state_vec_get(state_vector=c_loc(states)), 'gaspi_state_vec_get')
    call check(all(states == GASPI_STATE_HEALTHY), 'the state vector')
    call succeed(gaspi_segment_list(num=1, segment_id_list=c_loc(seen)), 'gaspi_segment_list')
    call check(seen(1) == 0, 'the list of segments')
    call succeed(gaspi_segment_ptr(0_gaspi_segment_id_t, ptr=memory), 'gaspi_segment_ptr')
    call succeed(gaspi_queue_create(queue=queue, timeout=patience), 'gaspi_queue_create')
    call succeed(gaspi_queue_purge(queue, timeout=patience), 'gaspi_queue_purge')
    call succeed(gaspi_queue_delete(queue), 'gaspi_queue_delete')
    call check(gaspi_passive_receive(0_gaspi_segment_id_t, 0_gaspi_offset_t, rem_rank=from, size=8_gaspi_size_t, &
        timeout_ms=GASPI_TEST) == GASPI_TIMEOUT, 'gaspi_passive_receive')
    call succeed(gaspi_passive_queue_purge(timeout=GASPI_TEST), 'gaspi_passive_queue_purge')
    call succeed(gaspi_atomic_compare_swap(0_gaspi_segment_id_t, 1032_gaspi_offset_t, me, comparator=0_gaspi_atomic_value_t, &
        val_new=8_gaspi_atomic_value_t, val_old=value, timeout_ms=patience), 'gaspi_atomic_compare_swap')
    call succeed(gaspi_atomic_fetch_add(0_gaspi_segment_id_t, 1032_gaspi_offset_t, me, val_add=1_gaspi_atomic_value_t, &
        val_old=value, timeout_ms=patience), 'gaspi_atomic_fetch_add')
    call check(value == 8, 'the swapped value')
    mine = 1
    call succeed(gaspi_allreduce(c_loc(mine), c_loc(total), 1, GASPI_OP_SUM, datatyp=GASPI_TYPE_DOUBLE, &
        group=GASPI_GROUP_ALL, timeout_ms=patience), 'gaspi_allreduce')
    call check(total(1) == num, 'the sum of ones')

    call succeed(gaspi_statistic_verbosity_level(verbosity_level_=0), 'gaspi_statistic_verbosity_level')
    call succeed(gaspi_statistic_counter_info(counter=0, counter_argument=argument, counter_name=name, &
        counter_description=about, verbosity_level=level), 'gaspi_statistic_counter_info')
    call check(all(name(1:7) == ['w', 'r', 'i', 't', 'e', 's', c_null_char]), 'the name of a counter')
    call check(any(about == c_null_char) .and. level == 1, 'what it says of itself')
    call succeed(gaspi_statistic_counter_get(0, argument, value_arg=count), 'gaspi_statistic_counter_get')
    call check(count == 0, 'a counter that does not count')
    call succeed(gaspi_print_error(GASPI_TIMEOUT, error_message=text), 'gaspi_print_error')
    call check(all(text(1:7) == ['t', 'i', 'm', 'e', 'o', 'u', 't']), 'the text of a code')
    call succeed(gaspi_pcontrol(argument=c_null_ptr), 'gaspi_pcontrol')
    call gaspi_printf('100% of the printed names'//c_new_line//c_null_char)
    call gaspi_printf_to(0_gaspi_rank_t, 'printed there'//c_new_line//c_null_char)
    call gaspi_delay()
  end subroutine

  subroutine exchanges()
    integer(c_int), target :: word, one
    integer(c_int), target, allocatable :: all(:), out(:)
    integer(gaspi_size_t), allocatable :: sizes(:), offsets(:)
    integer :: i
    allocate(all(num), out(num), sizes(num), offsets(num))
    sizes = 4
    offsets = [(4 * (i - 1), i = 1, int(num))]
    word = merge(7, 0, me == 0)
    call succeed(gaspi_bcast(c_loc(word), 4_gaspi_size_t, 0_gaspi_rank_t, GASPI_GROUP_ALL, patience), 'gaspi_bcast')
    call check(word == 7, 'word of the root')
    one = 1
    word = -1
    call succeed(gaspi_reduce(c_loc(one), c_loc(word), 1, GASPI_OP_SUM, GASPI_TYPE_INT, 0_gaspi_rank_t, GASPI_GROUP_ALL, &
        patience), 'gaspi_reduce')
    call check(word == merge(int(num), -1, me == 0), 'sum at the root')
    word = me
    call succeed(gaspi_allgather(c_loc(word), c_loc(all), 4_gaspi_size_t, GASPI_GROUP_ALL, patience), 'gaspi_allgather')
    call check(all(1) == 0 .and. all(num) == num - 1, 'words of all')
    all = -1
    call succeed(gaspi_allgatherv(c_loc(word), c_loc(all), sizes, GASPI_GROUP_ALL, patience), 'gaspi_allgatherv')
    call check(all(1) == 0 .and. all(num) == num - 1, 'words of all, with sizes')
    out = me
    call succeed(gaspi_alltoall(c_loc(out), c_loc(all), 4_gaspi_size_t, GASPI_GROUP_ALL, patience), 'gaspi_alltoall')
    call check(all(1) == 0 .and. all(num) == num - 1, 'words from all')
    all = -1
    call succeed(gaspi_alltoallv(c_loc(out), sizes, offsets, c_loc(all), sizes, offsets, GASPI_GROUP_ALL, patience), &
        'gaspi_alltoallv')
    call check(all(1) == 0 .and. all(num) == num - 1, 'words from all, with offsets')
  end subroutine

  subroutine others()
    integer(gaspi_atomic_value_t) :: old
    integer(gaspi_state_t) :: states(num)
    integer(gaspi_rank_t) :: ranks(num)
    integer(gaspi_number_t) :: initialized, i
    real(gaspi_time_t) :: now
    character(c_char), pointer :: text(:)
    call succeed(gaspi_atomic_fetch_add(0_gaspi_segment_id_t, 1024_gaspi_offset_t, 0_gaspi_rank_t, 1_gaspi_atomic_value_t, &
        old, patience), 'gaspi_atomic_fetch_add')
    call check(old >= 0 .and. old < num, 'the old value')
    call succeed(gaspi_state_vec_get(states), 'gaspi_state_vec_get')
    call check(all(states == GASPI_STATE_HEALTHY), 'the state vector')
    call succeed(gaspi_group_ranks(GASPI_GROUP_ALL, ranks), 'gaspi_group_ranks')
    call check(all(ranks == [(i, i = 0, num - 1)]), 'the ranks of the group')
    call succeed(gaspi_time_get(now), 'gaspi_time_get')
    call succeed(gaspi_initialized(initialized), 'gaspi_initialized')
    call check(initialized == 1 .and. now >= 0, 'initialized')
    call c_f_pointer(gaspi_error_str(GASPI_ERR_INV_RANK), text, [4])
    call check(text(1) /= c_null_char, 'gaspi_error_str')
    call check(gaspi_proc_ping(num, GASPI_BLOCK) == GASPI_ERR_INV_RANK, 'no such rank')
    call succeed(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), 'gaspi_barrier')
  end subroutine
end program
