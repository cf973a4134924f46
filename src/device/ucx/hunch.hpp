// Where the next message comes from: most likely from where the last one came.
//
// UCX asks the kernel which sockets have something (epoll_wait), and then reads from one that has. Who polls for an
// answer knows which one it will be, and asking first costs 0.4 us between two cores. So after a message came from one
// socket alone, the next looks take that socket for ready: reading from it tells whether it is. Each eighth look asks
// the kernel, so that others are heard as well, and a hunch that has come to nothing for long is dropped: reading in
// vain costs twice as much as asking in vain.
#pragma once

#include <sys/epoll.h>

#include <cstdint>

namespace polder::device::ucx {

// Used under the device's lock, unless said otherwise.
class Hunch {
 public:
  using Wait = int(int, epoll_event*, int, int);

  // Instead of wait(set, events, limit, 0), which it calls where it has no hunch.
  int look(int set, epoll_event* events, int limit, Wait& wait);

  // Whether something has come since the last call.
  void tell(bool some) { idle_ = some ? 0 : idle_ + 1; }

  // While it lives, this thread's looks of UCX at its sockets are guessed. The first one leads its calls; where they
  // cannot be led, or changes would go unnoticed, nothing is guessed.
  class Use {
   public:
    explicit Use(Hunch& hunch);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Hunch* const outer_;
  };

  // A socket has left some set, or is looked at differently: what is known of sockets may refer to one that is gone.
  // Any thread.
  static void note_change();

 private:
  static constexpr std::uint32_t kTrust = 256;  // turns in which nothing came: some 0.1 ms
  static constexpr std::uint32_t kAsk = 8;

  int set_ = -1;
  epoll_event likely_{};
  std::uint64_t changes_ = 0;  // at the time of the hunch
  std::uint32_t looks_ = 0;
  std::uint32_t idle_ = 0;
};

}  // namespace polder::device::ucx
