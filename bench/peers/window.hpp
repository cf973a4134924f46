// Memory of every rank that all others reach one-sidedly: MPI's counterpart of a segment.
#pragma once

#include <cstddef>

#include <mpi.h>

namespace bench {

// A window of `bytes` at every rank, in a passive epoch towards everyone as long as it lives: of shared memory
// (MPI 3.1, section 11.2.3) where all ranks are on one machine, else an allocated one. Collective to make and to
// destroy.
class Window {
 public:
  explicit Window(std::size_t bytes) {
    shared_ = on_one_machine();
    if (!shared_) {
      MPI_Win_allocate(MPI_Aint(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base_, &window_);
    } else {
      allocate_shared(bytes);
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~Window() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win get() const { return window_; }
  std::byte* mine() const { return base_; }

  bool shared() const { return shared_; }

  // Where this process sees the part of `rank`: for plain loads and stores. REQUIRES: shared().
  std::byte* of(int rank) const {
    MPI_Aint size = 0;
    int unit = 0;
    std::byte* part = nullptr;
    MPI_Win_shared_query(window_, rank, &size, &unit, &part);
    return part;
  }

  // Returns once the operations towards `rank` are complete there.
  void flush(int rank) const { MPI_Win_flush(rank, window_); }

 private:
  static bool on_one_machine() {
    MPI_Comm machine = MPI_COMM_NULL;
    int here = 0, all = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_free(&machine);
    return here == all;
  }

  void allocate_shared(std::size_t bytes) {
    // Every rank's part on pages of its own: that is what ranks of one machine would choose for speed.
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(MPI_Aint(bytes), 1, info, MPI_COMM_WORLD, &base_, &window_);
    MPI_Info_free(&info);
  }

  bool shared_ = true;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
};

}  // namespace bench
