! GASPI 17.1 for Fortran: the calls of GASPI.h, by the C binding. GASPI.h is the manual.
!
! Buffers are reached by type(c_ptr), ranks and ids count from 0 as in C, and every call returns its code. Arguments have
! the names that the specification prints.
module GASPI
  use GASPI_types
  use GASPI_arrays
  implicit none

  interface
    function gaspi_config_get(config) result(code) bind(c)
      import
      type(gaspi_config_t), intent(out) :: config
      integer(gaspi_return_t) :: code
    end function
    function gaspi_config_set(new_config) result(code) bind(c)
      import
      type(gaspi_config_t), value :: new_config
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_init(timeout_ms) result(code) bind(c)
      import
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_num(proc_num) result(code) bind(c)
      import
      integer(gaspi_rank_t), intent(out) :: proc_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_rank(rank) result(code) bind(c)
      import
      integer(gaspi_rank_t), intent(out) :: rank
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_term(timeout_ms) result(code) bind(c)
      import
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_kill(rank, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_connect(rank, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_disconnect(rank, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_create(group) result(code) bind(c)
      import
      integer(gaspi_group_t), intent(out) :: group
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_add(group, rank) result(code) bind(c)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_commit(group, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_delete(group) result(code) bind(c)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_num(group_num) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: group_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_size(group, group_size) result(code) bind(c)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_number_t), intent(out) :: group_size
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_alloc(segment_id, size, alloc_policy) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_size_t), value :: size
      integer(gaspi_alloc_t), value :: alloc_policy
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_register(segment_id, rank, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_create(segment_id, size, group, timeout_ms, alloc_policy) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_size_t), value :: size
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_alloc_t), value :: alloc_policy
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_bind(segment_id, pointer, size, memory_description) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      type(c_ptr), value :: pointer
      integer(gaspi_size_t), value :: size
      integer(gaspi_memory_description_t), value :: memory_description
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_use(segment_id, pointer, size, group, timeout, memory_description &
        ) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      type(c_ptr), value :: pointer
      integer(gaspi_size_t), value :: size
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout
      integer(gaspi_memory_description_t), value :: memory_description
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_delete(segment_id) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_num(segment_num) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: segment_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_ptr(segment_id, ptr) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      type(c_ptr), intent(out) :: ptr
      integer(gaspi_return_t) :: code
    end function
    function gaspi_write(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, &
        queue, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, &
        queue, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_wait(queue, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notify(segment_id_remote, rank, notification_id, notification_value, queue, timeout_ms &
        ) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), value :: notification_value
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notify_waitsome(segment_id_local, notification_begin, num, first_id, &
        timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_notification_id_t), value :: notification_begin
      integer(gaspi_number_t), value :: num
      integer(gaspi_notification_id_t), intent(out) :: first_id
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notify_reset(segment_id_local, notification_id, old_notification_val) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), intent(out) :: old_notification_val
      integer(gaspi_return_t) :: code
    end function
    function gaspi_write_notify(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, notification_id, notification_value, queue, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), value :: notification_value
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read_notify(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, notification_id, queue, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_create(queue, timeout) result(code) bind(c)
      import
      integer(gaspi_queue_id_t), intent(out) :: queue
      integer(gaspi_timeout_t), value :: timeout
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_delete(queue) result(code) bind(c)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_size(queue, queue_size) result(code) bind(c)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_number_t), intent(out) :: queue_size
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_purge(queue, timeout) result(code) bind(c)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_send(segment_id_local, offset_local, rank, size, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_size_t), value :: size
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_receive(segment_id_local, offset_local, rem_rank, size, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), intent(out) :: rem_rank
      integer(gaspi_size_t), value :: size
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_queue_purge(timeout) result(code) bind(c)
      import
      integer(gaspi_timeout_t), value :: timeout
      integer(gaspi_return_t) :: code
    end function
    function gaspi_atomic_fetch_add(segment_id, offset, rank, val_add, val_old, timeout_ms &
        ) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_offset_t), value :: offset
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_atomic_value_t), value :: val_add
      integer(gaspi_atomic_value_t), intent(out) :: val_old
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_atomic_compare_swap(segment_id, offset, rank, comparator, val_new, val_old, &
        timeout_ms) result(code) bind(c)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_offset_t), value :: offset
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_atomic_value_t), value :: comparator
      integer(gaspi_atomic_value_t), value :: val_new
      integer(gaspi_atomic_value_t), intent(out) :: val_old
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_barrier(group, timeout_ms) result(code) bind(c)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce(buffer_send, buffer_receive, num, operation, datatyp, group, timeout_ms &
        ) result(code) bind(c)
      import
      type(c_ptr), value :: buffer_send
      type(c_ptr), value :: buffer_receive
      integer(gaspi_number_t), value :: num
      integer(gaspi_operation_t), value :: operation
      integer(gaspi_datatype_t), value :: datatyp
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce_user(buffer_send, buffer_receive, num, element_size, reduce_operation, &
        reduce_state, group, timeout_ms) result(code) bind(c)
      import
      type(c_ptr), value :: buffer_send
      type(c_ptr), value :: buffer_receive
      integer(gaspi_number_t), value :: num
      integer(gaspi_size_t), value :: element_size
      type(c_funptr), value :: reduce_operation
      type(c_ptr), value :: reduce_state
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_max(group_max) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: group_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_max(segment_max) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: segment_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_num(queue_num) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: queue_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_size_max(queue_size_max) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: queue_size_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_max(queue_max) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: queue_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_transfer_size_max(transfer_size_max) result(code) bind(c)
      import
      integer(gaspi_size_t), intent(out) :: transfer_size_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notification_num(notification_num) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: notification_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_transfer_size_max(transfer_size_max) result(code) bind(c)
      import
      integer(gaspi_size_t), intent(out) :: transfer_size_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_atomic_max(max_value) result(code) bind(c)
      import
      integer(gaspi_atomic_value_t), intent(out) :: max_value
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce_buf_size(buf_size) result(code) bind(c)
      import
      integer(gaspi_size_t), intent(out) :: buf_size
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce_elem_max(elem_max) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: elem_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_network_type(network_type) result(code) bind(c)
      import
      integer(gaspi_network_t), intent(out) :: network_type
      integer(gaspi_return_t) :: code
    end function
    function gaspi_build_infrastructure(build_infrastructure) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: build_infrastructure
      integer(gaspi_return_t) :: code
    end function
    function gaspi_version(version) result(code) bind(c)
      import
      real(gaspi_float), intent(out) :: version
      integer(gaspi_return_t) :: code
    end function
    function gaspi_time_get(wtime) result(code) bind(c)
      import
      real(gaspi_time_t), intent(out) :: wtime
      integer(gaspi_return_t) :: code
    end function
    function gaspi_time_ticks(resolution) result(code) bind(c)
      import
      real(gaspi_time_t), intent(out) :: resolution
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_counter_max(counter_max) result(code) bind(c)
      import
      integer(gaspi_number_t), intent(out) :: counter_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_verbosity_level(verbosity_level_) result(code) bind(c)
      import
      integer(gaspi_number_t), value :: verbosity_level_
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_counter_reset(counter) result(code) bind(c)
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_return_t) :: code
    end function
  end interface
end module
