! The simplest way to treat errors: the program ends with what failed, and the launcher ends the others.
module checks
  use GASPI
  implicit none
  integer(gaspi_timeout_t), parameter :: patience = 30000  ! milliseconds; nothing here takes so long
contains
  subroutine check(code, what)
    integer(gaspi_return_t), intent(in) :: code
    character(*), intent(in) :: what
    if (code == GASPI_SUCCESS) return
    print *, what, ' gave ', code
    stop 1
  end subroutine
end module
