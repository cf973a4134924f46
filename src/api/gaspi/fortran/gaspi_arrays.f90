! The calls of module GASPI that take arrays, texts or anything: by type(c_ptr) as the specification prints them, and typed
! beside it, under the same name. Module GASPI has all of them.
!
! A text comes as a pointer to a C string, or is copied with its final zero into an array of characters, which has room for
! GASPI_TEXT_SIZE of them.
module GASPI_arrays
  use GASPI_types
  implicit none

  integer, parameter :: GASPI_TEXT_SIZE = 128

  interface gaspi_state_vec_get
    function gaspi_state_vec_get(state_vector) result(code) bind(c, name="gaspi_state_vec_get")
      import
      type(c_ptr), value :: state_vector
      integer(gaspi_return_t) :: code
    end function
    function gaspi_state_vec_get_typed(state_vector) result(code) bind(c, name="gaspi_state_vec_get")
      import
      integer(gaspi_state_t), intent(out) :: state_vector(*)
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_group_ranks
    function gaspi_group_ranks(group, group_ranks) result(code) bind(c, name="gaspi_group_ranks")
      import
      integer(gaspi_group_t), value :: group
      type(c_ptr), value :: group_ranks
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_ranks_typed(group, group_ranks) result(code) bind(c, name="gaspi_group_ranks")
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_rank_t), intent(out) :: group_ranks(*)
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_segment_list
    function gaspi_segment_list(num, segment_id_list) result(code) bind(c, name="gaspi_segment_list")
      import
      integer(gaspi_number_t), value :: num
      type(c_ptr), value :: segment_id_list
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_list_typed(num, segment_id_list) result(code) bind(c, name="gaspi_segment_list")
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(out) :: segment_id_list(*)
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_write_list
    function gaspi_write_list(num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, queue, timeout_ms) result(code) bind(c, name="gaspi_write_list")
      import
      integer(gaspi_number_t), value :: num
      type(c_ptr), value :: segment_id_local
      type(c_ptr), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      type(c_ptr), value :: segment_id_remote
      type(c_ptr), value :: offset_remote
      type(c_ptr), value :: size
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_write_list_typed(num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, queue, timeout_ms) result(code) bind(c, name="gaspi_write_list")
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_write_list_notify
    function gaspi_write_list_notify(num, segment_id_local, offset_local, rank, segment_id_remote, &
        offset_remote, size, segment_id_notification, notification_id, notification_value, queue, timeout_ms &
        ) result(code) bind(c, name="gaspi_write_list_notify")
      import
      integer(gaspi_number_t), value :: num
      type(c_ptr), value :: segment_id_local
      type(c_ptr), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      type(c_ptr), value :: segment_id_remote
      type(c_ptr), value :: offset_remote
      type(c_ptr), value :: size
      integer(gaspi_segment_id_t), value :: segment_id_notification
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), value :: notification_value
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_write_list_notify_typed(num, segment_id_local, offset_local, rank, segment_id_remote, &
        offset_remote, size, segment_id_notification, notification_id, notification_value, queue, timeout_ms &
        ) result(code) bind(c, name="gaspi_write_list_notify")
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_segment_id_t), value :: segment_id_notification
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), value :: notification_value
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_read_list
    function gaspi_read_list(num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, queue, timeout_ms) result(code) bind(c, name="gaspi_read_list")
      import
      integer(gaspi_number_t), value :: num
      type(c_ptr), value :: segment_id_local
      type(c_ptr), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      type(c_ptr), value :: segment_id_remote
      type(c_ptr), value :: offset_remote
      type(c_ptr), value :: size
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read_list_typed(num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, queue, timeout_ms) result(code) bind(c, name="gaspi_read_list")
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_read_list_notify
    function gaspi_read_list_notify(num, segment_id_local, offset_local, rank, segment_id_remote, &
        offset_remote, size, segment_id_notification, notification_id, queue, timeout_ms) &
        result(code) bind(c, name="gaspi_read_list_notify")
      import
      integer(gaspi_number_t), value :: num
      type(c_ptr), value :: segment_id_local
      type(c_ptr), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      type(c_ptr), value :: segment_id_remote
      type(c_ptr), value :: offset_remote
      type(c_ptr), value :: size
      integer(gaspi_segment_id_t), value :: segment_id_notification
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read_list_notify_typed(num, segment_id_local, offset_local, rank, segment_id_remote, &
        offset_remote, size, segment_id_notification, notification_id, queue, timeout_ms) &
        result(code) bind(c, name="gaspi_read_list_notify")
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_segment_id_t), value :: segment_id_notification
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_print_error
    function gaspi_print_error(error_code, error_message) result(code) bind(c, name="gaspi_print_error")
      import
      integer(gaspi_return_t), value :: error_code
      type(c_ptr), intent(out) :: error_message
      integer(gaspi_return_t) :: code
    end function
    function gaspi_print_error_text(error_code, error_message) result(code) bind(c, name="gaspi_fortran_error_text")
      import
      integer(gaspi_return_t), value :: error_code
      character(c_char), intent(out) :: error_message(*)
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_error_message
    function gaspi_error_message(error_code, error_message) result(code) bind(c, name="gaspi_error_message")
      import
      integer(gaspi_return_t), value :: error_code
      type(c_ptr), intent(out) :: error_message
      integer(gaspi_return_t) :: code
    end function
    function gaspi_error_message_text(error_code, error_message) result(code) bind(c, name="gaspi_fortran_error_text")
      import
      integer(gaspi_return_t), value :: error_code
      character(c_char), intent(out) :: error_message(*)
      integer(gaspi_return_t) :: code
    end function
  end interface

  interface gaspi_statistic_counter_info
    function gaspi_statistic_counter_info(counter, counter_argument, counter_name, counter_description, &
        verbosity_level) result(code) bind(c, name="gaspi_statistic_counter_info")
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_statistic_argument_t), intent(out) :: counter_argument
      type(c_ptr), intent(out) :: counter_name
      type(c_ptr), intent(out) :: counter_description
      integer(gaspi_number_t), intent(out) :: verbosity_level
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_counter_info_text(counter, counter_argument, counter_name, counter_description, &
        verbosity_level) result(code) bind(c, name="gaspi_fortran_counter_info")
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_statistic_argument_t), intent(out) :: counter_argument
      character(c_char), intent(out) :: counter_name(*)
      character(c_char), intent(out) :: counter_description(*)
      integer(gaspi_number_t), intent(out) :: verbosity_level
      integer(gaspi_return_t) :: code
    end function
  end interface

  ! As printed the value has 32 bits: the largest number of them stands for all that is larger.
  interface gaspi_statistic_counter_get
    function gaspi_statistic_counter_get(counter, argument, value_arg) &
        result(code) bind(c, name="gaspi_statistic_counter_get")
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_number_t), value :: argument
      integer(gaspi_ulong), intent(out) :: value_arg
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_counter_get_narrow(counter, argument, value_arg) &
        result(code) bind(c, name="gaspi_fortran_counter_get")
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_number_t), value :: argument
      integer(gaspi_number_t), intent(out) :: value_arg
      integer(gaspi_return_t) :: code
    end function
  end interface

  ! Does nothing; a tool may replace it and give it a meaning.
  interface gaspi_pcontrol
    function gaspi_pcontrol(argument) result(code) bind(c, name="gaspi_pcontrol")
      import
      type(c_ptr), value :: argument
      integer(gaspi_return_t) :: code
    end function
    function gaspi_pcontrol_level(level) result(code) bind(c, name="gaspi_pcontrol")
      import
      integer(gaspi_int), value :: level
      integer(gaspi_return_t) :: code
    end function
  end interface
end module
