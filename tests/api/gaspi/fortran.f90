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
  call others()
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
