! Halo exchange: a field on a torus, cut into stripes of columns, which is how Fortran stores arrays; one for each rank.
! In each step every cell becomes the mean of its four neighbours, so a rank needs the columns beside its stripe. Their
! owners write them there, with a notification; nobody asks, and no step needs a barrier.
!
! The field begins as a wave, which such steps only damp, by a factor that is known: that is what the result is compared
! with.
program halo_exchange
  use checks
  implicit none
  integer, parameter :: rows = 128, columns = 32, steps = 100  ! rows and columns of one rank
  integer, parameter :: halo_left = 0, halo_right = columns + 1
  integer(gaspi_segment_id_t), parameter :: segment = 0
  integer(gaspi_queue_id_t), parameter :: queue = 0
  integer(gaspi_size_t), parameter :: column_bytes = rows * 8
  real(c_double), parameter :: turn = 6.283185307179586d0
  ! Two stripes between halos: a step reads one and writes the other. Neighbours write into the halo of the one that is
  ! read; they are never more than one step ahead, because they wait for this rank's columns, too.
  real(c_double), pointer :: field(:, :, :)
  real(c_double), target :: mine, worst
  integer(gaspi_rank_t) :: me, num
  integer :: i

  call check(gaspi_proc_init(patience), 'gaspi_proc_init')
  call check(gaspi_proc_rank(me), 'gaspi_proc_rank')
  call check(gaspi_proc_num(num), 'gaspi_proc_num')

  call begin()
  do i = 0, steps - 1
    call step(mod(i, 2))
  end do

  mine = error()
  call check(gaspi_allreduce(c_loc(mine), c_loc(worst), 1, GASPI_OP_MAX, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, patience), &
      'gaspi_allreduce')
  if (me == 0) print '(i0, a, i0, a, es8.1, a)', num, ' ranks, ', steps, ' steps: off by', worst, ' at most'
  call check(gaspi_proc_term(patience), 'gaspi_proc_term')
  if (worst >= 1d-12) stop 1

contains

  subroutine begin()
    type(c_ptr) :: memory
    real(c_double), pointer :: from_one(:, :, :)
    integer :: row, column
    call check(gaspi_segment_create(segment, 2 * (columns + 2) * column_bytes, GASPI_GROUP_ALL, patience, &
        GASPI_MEM_INITIALIZED), 'gaspi_segment_create')
    call check(gaspi_segment_ptr(segment, memory), 'gaspi_segment_ptr')
    call c_f_pointer(memory, from_one, [rows, columns + 2, 2])
    field(1:, halo_left:, 0:) => from_one
    do column = 1, columns
      field(:, column, 0) = [(wave(row, column), row = 1, rows)]
    end do
    call check(gaspi_barrier(GASPI_GROUP_ALL, patience), 'gaspi_barrier')
  end subroutine

  subroutine step(now)
    integer, intent(in) :: now
    integer :: column
    call send_column(now, 1, mod(me + num - 1, int(num)), halo_right)
    call send_column(now, columns, mod(me + 1, int(num)), halo_left)
    do column = 2, columns - 1  ! while the halos travel
      call compute(now, column)
    end do
    call receive_column(now, halo_left)
    call compute(now, 1)
    call receive_column(now, halo_right)
    call compute(now, columns)
    call check(gaspi_wait(queue, patience), 'gaspi_wait')  ! the next step overwrites what was sent
  end subroutine

  subroutine send_column(now, column, to, halo)
    integer, intent(in) :: now, column, to, halo
    call check(gaspi_write_notify(segment, offset_of(now, column), int(to, gaspi_rank_t), segment, &
        offset_of(now, halo), column_bytes, flag_of(now, halo), 1, queue, patience), 'gaspi_write_notify')
  end subroutine

  subroutine receive_column(now, halo)
    integer, intent(in) :: now, halo
    integer(gaspi_notification_id_t) :: first
    integer(gaspi_notification_t) :: value
    call check(gaspi_notify_waitsome(segment, flag_of(now, halo), 1, first, patience), 'gaspi_notify_waitsome')
    call check(gaspi_notify_reset(segment, first, value), 'gaspi_notify_reset')
  end subroutine

  subroutine compute(now, column)
    integer, intent(in) :: now, column
    associate (from => field(:, :, now))
      field(:, column, 1 - now) = (from(:, column) + from(:, column + 2) &
          + cshift(from(:, column + 1), -1) + cshift(from(:, column + 1), 1)) / 4
    end associate
  end subroutine

  function offset_of(stripe, column) result(offset)
    integer, intent(in) :: stripe, column
    integer(gaspi_offset_t) :: offset
    offset = (stripe * (columns + 2) + column) * column_bytes
  end function

  ! A notification for each halo of both stripes.
  function flag_of(stripe, halo) result(flag)
    integer, intent(in) :: stripe, halo
    integer(gaspi_notification_id_t) :: flag
    flag = 2 * stripe + merge(0, 1, halo == halo_left)
  end function

  function column_angle() result(angle)
    real(c_double) :: angle
    angle = turn / (columns * num)
  end function

  function wave(row, column) result(value)
    integer, intent(in) :: row, column
    real(c_double) :: value
    value = sin(turn / rows * row + column_angle() * (me * columns + column))
  end function

  ! How far this rank's stripe is from the damped wave.
  function error() result(far)
    real(c_double) :: far, damped
    integer :: row, column
    damped = ((cos(turn / rows) + cos(column_angle())) / 2)**steps
    far = 0
    do column = 1, columns
      do row = 1, rows
        far = max(far, abs(field(row, column, mod(steps, 2)) - damped * wave(row, column)))
      end do
    end do
  end function
end program
