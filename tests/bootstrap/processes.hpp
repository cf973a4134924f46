// Ranks that are children of the test, with an allgather in shared memory: what an MPI program brings along.
#pragma once

#include <polder/exchange.hpp>

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace polder::bootstrap::gathered {

// Memory that all ranks of a test share, and the test with them.
class SharedBoard {
 public:
  static constexpr std::size_t kRoom = 64 << 10;  // of one rank in one allgather

  explicit SharedBoard(Rank size)
      : size_(size),
        bytes_(sizeof(Head) + size * kRoom),
        head_(static_cast<Head*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&head_->barrier, &attributes, size);
  }
  ~SharedBoard() { munmap(head_, bytes_); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  void barrier() { pthread_barrier_wait(&head_->barrier); }
  // For whatever a test counts.
  std::atomic<std::uint32_t>& counter(int number) { return head_->counters[number]; }

  Status allgather(Rank rank, std::span<const std::byte> mine, std::span<std::byte> all) {
    if (mine.size() > kRoom || all.size() != size_ * mine.size()) return {Code::invalid_size, "allgather of a test"};
    std::byte* room = reinterpret_cast<std::byte*>(head_ + 1);
    if (!mine.empty()) std::memcpy(room + rank * kRoom, mine.data(), mine.size());
    barrier();
    for (Rank each = 0; each < size_ && !mine.empty(); ++each)
      std::memcpy(all.data() + each * mine.size(), room + each * kRoom, mine.size());
    barrier();
    return {};
  }

 private:
  struct Head {
    pthread_barrier_t barrier;
    std::atomic<std::uint32_t> counters[8];
  };
  const Rank size_;
  const std::size_t bytes_;
  Head* const head_;
};

struct Surroundings {
  Exchange exchange;
  SharedBoard& board;
};

// Waits for what must happen, however slow the machine: a minute.
template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) return true;
    usleep(1000);
  }
  return false;
}

// The result of a rank that saw something wrong.
inline int complain(const char* what) {
  std::fprintf(stderr, "process %d: wrong: %s\n", int(getpid()), what);
  return 99;
}
#define POLDER_EXPECT_IN_CHILD(condition) \
  if (!(condition)) return complain(#condition)

class Processes {
 public:
  // Each rank runs `body` and exits with what it returns.
  Processes(Rank size, const std::function<int(Surroundings&)>& body) : board_(size) {
    for (Rank rank = 0; rank < size; ++rank) {
      const pid_t pid = fork();
      if (pid == 0) _exit(run(rank, size, body));
      pids_.push_back(pid);
    }
  }
  ~Processes() {
    for (const pid_t pid : pids_)
      if (pid != 0) kill(pid, SIGKILL);
    for (Rank rank = 0; rank < Rank(pids_.size()); ++rank)
      if (pids_[rank] != 0) wait(rank);
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  SharedBoard& board() { return board_; }
  void signal(Rank rank, int number) const { ASSERT_EQ(kill(pids_[rank], number), 0); }
  // Returns when it has stopped: threads of it on other cores run on for a moment behind the signal.
  void stop(Rank rank) const {
    signal(rank, SIGSTOP);
    int status = 0;
    ASSERT_EQ(waitpid(pids_[rank], &status, WUNTRACED), pids_[rank]);
    ASSERT_TRUE(WIFSTOPPED(status));
  }
  int wait(Rank rank) {
    int status = -1;
    EXPECT_EQ(waitpid(pids_[rank], &status, 0), pids_[rank]);
    pids_[rank] = 0;
    return status;
  }
  void expect_exit(Rank rank, int code) {
    const int status = wait(rank);
    EXPECT_TRUE(WIFEXITED(status)) << "rank " << rank << " ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), code) << "rank " << rank;
  }
  void expect_signal(Rank rank, int number) {
    const int status = wait(rank);
    EXPECT_TRUE(WIFSIGNALED(status)) << "rank " << rank << " exited with " << WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), number) << "rank " << rank;
  }
  void expect_all_exit(int code) {
    for (Rank rank = 0; rank < Rank(pids_.size()); ++rank)
      if (pids_[rank] != 0) expect_exit(rank, code);
  }

 private:
  int run(Rank rank, Rank size, const std::function<int(Surroundings&)>& body) {
    Surroundings with{
        .exchange = {.rank = rank,
                     .size = size,
                     .allgather = [this, rank](auto mine, auto all) { return board_.allgather(rank, mine, all); }},
        .board = board_};
    return body(with);
  }

  SharedBoard board_;
  std::vector<pid_t> pids_;
};

}  // namespace polder::bootstrap::gathered
