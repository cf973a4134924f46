! The calls of GASPI_Ext.h for Fortran. gaspi_printf and gaspi_printf_to take a text that ends with c_null_char, and print it as it is.
module GASPI_Ext
  use GASPI_types
  implicit none

  interface
    function gaspi_initialized(initialized) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: initialized
      integer(gaspi_return_t) :: code
    end function
    function gaspi_error_str(error_code) result(code) bind(c)
      import
      integer(gaspi_return_t), value :: error_code
      type(c_ptr) :: code
    end function
    function gaspi_error_detail() result(code) bind(c)
      import
      type(c_ptr) :: code
    end function
    function gaspi_cpu_frequency(frequency_mhz) result(code) bind(c)
      import
      real(gaspi_float), intent(out) :: frequency_mhz
      integer(gaspi_return_t) :: code
    end function
    function gaspi_numa_socket(socket) result(code) bind(c)
      import
      integer(gaspi_uchar), intent(out) :: socket
      integer(gaspi_return_t) :: code
    end function
    function gaspi_set_socket_affinity(socket) result(code) bind(c)
      import
      integer(gaspi_uchar), value :: socket
      integer(gaspi_return_t) :: code
    end function
    subroutine gaspi_print_affinity_mask() bind(c)
      import
    end subroutine
    subroutine gaspi_delay() bind(c)
      import
    end subroutine
    subroutine gaspi_printf(text) bind(c, name="gaspi_fortran_printf")
      import
      character(c_char), intent(in) :: text(*)
    end subroutine
    subroutine gaspi_printf_to(rank, text) bind(c, name="gaspi_fortran_printf_to")
      import
      integer(gaspi_rank_t), value :: rank
      character(c_char), intent(in) :: text(*)
    end subroutine
    function gaspi_proc_local_rank(local_rank) result(code) bind(c)
      import
      integer(gaspi_rank_t), intent(out) :: local_rank
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_local_num(local_num) result(code) bind(c)
      import
      integer(gaspi_rank_t), intent(out) :: local_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_ping(rank, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_avail_local(available_segment_id) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), intent(out) :: available_segment_id
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_size(segment_id, rank, size) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_size_t), intent(out) :: size
      integer(gaspi_return_t) :: code
    end function
    function gaspi_rw_list_elem_max(elem_max) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: elem_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_transfer_size_min(transfer_size_min) result(code) bind(c)
      import
      integer(gaspi_size_t), intent(out) :: transfer_size_min
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_transfer_size_min(transfer_size_min) result(code) bind(c)
      import
      integer(gaspi_size_t), intent(out) :: transfer_size_min
      integer(gaspi_return_t) :: code
    end function
    function gaspi_bcast(buffer, size, root, group, timeout_ms) result(code) bind(c)
      import
      type(c_ptr), value :: buffer
      integer(gaspi_size_t), value :: size
      integer(gaspi_rank_t), value :: root
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_reduce(buffer_send, buffer_receive, num, operation, &
        datatyp, root, group, timeout_ms) result(code) bind(c)
      import
      type(c_ptr), value :: buffer_send
      type(c_ptr), value :: buffer_receive
      integer(gaspi_number_t), value :: num
      integer(gaspi_operation_t), value :: operation
      integer(gaspi_datatype_t), value :: datatyp
      integer(gaspi_rank_t), value :: root
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allgather(buffer_send, buffer_receive, size, group, timeout_ms) result(code) bind(c)
      import
      type(c_ptr), value :: buffer_send
      type(c_ptr), value :: buffer_receive
      integer(gaspi_size_t), value :: size
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allgatherv(buffer_send, buffer_receive, sizes, group, timeout_ms) result(code) bind(c)
      import
      type(c_ptr), value :: buffer_send
      type(c_ptr), value :: buffer_receive
      integer(gaspi_size_t), intent(in) :: sizes(*)
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_alltoall(buffer_send, buffer_receive, size, group, timeout_ms) result(code) bind(c)
      import
      type(c_ptr), value :: buffer_send
      type(c_ptr), value :: buffer_receive
      integer(gaspi_size_t), value :: size
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_alltoallv(buffer_send, send_sizes, send_offsets, buffer_receive, &
        receive_sizes, receive_offsets, group, timeout_ms) result(code) bind(c)
      import
      type(c_ptr), value :: buffer_send
      integer(gaspi_size_t), intent(in) :: send_sizes(*)
      integer(gaspi_size_t), intent(in) :: send_offsets(*)
      type(c_ptr), value :: buffer_receive
      integer(gaspi_size_t), intent(in) :: receive_sizes(*)
      integer(gaspi_size_t), intent(in) :: receive_offsets(*)
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
  end interface
end module
