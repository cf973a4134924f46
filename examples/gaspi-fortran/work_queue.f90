! A work queue: ranks take the next task from a counter at rank 0 until none is left, so a slow rank takes fewer, and
! nobody hands them out. Rank 0 computes like all others and does not even notice.
!
! A task counts the primes among some numbers. How many there are below 200,000 is known: 17,984.
program work_queue
  use checks
  implicit none
  integer(gaspi_atomic_value_t), parameter :: numbers = 200000, expected = 17984
  integer(gaspi_atomic_value_t), parameter :: task = 500  ! numbers in a task: taking one costs less than counting
  integer(gaspi_segment_id_t), parameter :: counter = 0
  integer(gaspi_rank_t), parameter :: owner = 0
  integer(c_long), target :: primes = 0, all = 0
  integer(gaspi_atomic_value_t) :: first, number
  integer(gaspi_rank_t) :: me
  integer :: tasks = 0

  call check(gaspi_proc_init(patience), 'gaspi_proc_init')
  call check(gaspi_proc_rank(me), 'gaspi_proc_rank')
  call check(gaspi_segment_create(counter, 8_gaspi_size_t, GASPI_GROUP_ALL, patience, GASPI_MEM_INITIALIZED), &
      'gaspi_segment_create')

  do
    ! The first number that nobody has taken.
    call check(gaspi_atomic_fetch_add(counter, 0_gaspi_offset_t, owner, task, first, patience), 'gaspi_atomic_fetch_add')
    if (first >= numbers) exit
    do number = first, first + task - 1
      if (is_prime(number)) primes = primes + 1
    end do
    tasks = tasks + 1
  end do
  print '(a, i0, a, i0, a)', 'rank ', me, ' did ', tasks, ' tasks'

  call check(gaspi_allreduce(c_loc(primes), c_loc(all), 1, GASPI_OP_SUM, GASPI_TYPE_LONG, GASPI_GROUP_ALL, patience), &
      'gaspi_allreduce')
  if (me == 0) print '(i0, a)', all, ' primes'
  call check(gaspi_proc_term(patience), 'gaspi_proc_term')
  if (all /= expected) stop 1

contains

  function is_prime(n) result(prime)
    integer(gaspi_atomic_value_t), intent(in) :: n
    logical :: prime
    integer(gaspi_atomic_value_t) :: divisor
    prime = n >= 2
    divisor = 2
    do while (prime .and. divisor * divisor <= n)
      prime = mod(n, divisor) /= 0
      divisor = divisor + 1
    end do
  end function
end program
