! Hello: every rank writes a greeting into the memory of rank 0, which takes no part in that, and prints them in order.
program hello
  use checks
  implicit none
  integer, parameter :: length = 120
  integer(gaspi_segment_id_t), parameter :: greetings = 0, mine = 1  ! data leaves from one and arrives in one
  character(length), pointer :: texts(:), text(:)
  integer(gaspi_rank_t) :: me, num
  integer :: from

  call check(gaspi_proc_init(patience), 'gaspi_proc_init')
  call check(gaspi_proc_rank(me), 'gaspi_proc_rank')
  call check(gaspi_proc_num(num), 'gaspi_proc_num')
  call make_segment(greetings, texts, int(num))
  call make_segment(mine, text, 1)
  write (text(1), '(a, i0, a, i0)') 'hello from rank ', me, ' of ', num

  ! The notification arrives after the data, never before.
  call check(gaspi_write_notify(mine, 0_gaspi_offset_t, 0_gaspi_rank_t, greetings, int(me, gaspi_offset_t) * length, &
      int(length, gaspi_size_t), int(me, gaspi_notification_id_t), 1, 0_gaspi_queue_id_t, patience), 'gaspi_write_notify')
  if (me == 0) then
    do from = 0, num - 1
      call wait_for(from)
      print '(a)', trim(texts(from + 1))
    end do
  end if

  call check(gaspi_wait(0_gaspi_queue_id_t, patience), 'gaspi_wait')  ! the text may be written again
  call check(gaspi_barrier(GASPI_GROUP_ALL, patience), 'gaspi_barrier')
  call check(gaspi_proc_term(patience), 'gaspi_proc_term')

contains

  subroutine make_segment(id, lines, count)
    integer(gaspi_segment_id_t), intent(in) :: id
    character(length), pointer, intent(out) :: lines(:)
    integer, intent(in) :: count
    type(c_ptr) :: memory
    call check(gaspi_segment_create(id, int(count * length, gaspi_size_t), GASPI_GROUP_ALL, patience, &
        GASPI_MEM_INITIALIZED), 'gaspi_segment_create')
    call check(gaspi_segment_ptr(id, memory), 'gaspi_segment_ptr')
    call c_f_pointer(memory, lines, [count])
  end subroutine

  ! Reading a flag sets it to 0, so that it can go up again.
  subroutine wait_for(flag)
    integer, intent(in) :: flag
    integer(gaspi_notification_id_t) :: first
    integer(gaspi_notification_t) :: value
    call check(gaspi_notify_waitsome(greetings, flag, 1, first, patience), 'gaspi_notify_waitsome')
    call check(gaspi_notify_reset(greetings, first, value), 'gaspi_notify_reset')
  end subroutine
end program
