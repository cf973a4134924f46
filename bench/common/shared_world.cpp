#include "common/shared_world.hpp"

#include "common/cores.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

constexpr int kSpins = 2000;  // a few microseconds, then others may need the core

[[noreturn]] void give_up(const char* operation) {
  std::fprintf(stderr, "bench: %s: %s\n", operation, std::strerror(errno));
  std::exit(1);
}

[[noreturn]] void run_child(pid_t parent, int core, unsigned seconds, SharedWorld& world,
                            const std::function<void(SharedWorld&)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);  // the parent ended before the line above
  alarm(seconds);                          // the default action ends this process; the parent sees it
  if (core != kAnyCore) pin_to(core);
  body(world);
  std::exit(0);
}

void end_all(const std::vector<pid_t>& children) {
  for (const pid_t child : children) kill(child, SIGKILL);
}

// True if `child` ended well. Says what happened if not.
bool ended_well(int status, std::size_t index) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    std::fprintf(stderr, "bench: process %zu took too long\n", index);
  else if (WIFSIGNALED(status))
    std::fprintf(stderr, "bench: process %zu was ended by %s\n", index, strsignal(WTERMSIG(status)));
  else
    std::fprintf(stderr, "bench: process %zu failed with exit code %d\n", index, WEXITSTATUS(status));
  return false;
}

}  // namespace

void SharedWorld::barrier() {
  const std::uint32_t epoch = control_.epoch.load(std::memory_order_acquire);
  if (control_.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == std::uint32_t(size_)) {
    control_.arrived.store(0, std::memory_order_relaxed);
    control_.epoch.store(epoch + 1, std::memory_order_release);
    return;
  }
  for (int spins = 0; control_.epoch.load(std::memory_order_acquire) == epoch; ++spins)
    if (spins > kSpins) sched_yield();
}

std::uint64_t SharedWorld::from_zero(std::uint64_t value) {
  if (rank_ == 0) control_.told = value;
  barrier();
  const std::uint64_t told = control_.told;
  barrier();  // nobody may write the next one before all have read this one
  return told;
}

std::uint64_t SharedWorld::largest(std::uint64_t value) {
  std::uint64_t seen = control_.largest.load(std::memory_order_relaxed);
  while (seen < value && !control_.largest.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
  barrier();
  const std::uint64_t found = control_.largest.load(std::memory_order_relaxed);
  barrier();
  if (rank_ == 0) control_.largest.store(0, std::memory_order_relaxed);
  barrier();  // the next one starts from nothing
  return found;
}

std::byte* shared_pages(std::size_t bytes) {
  const int file = memfd_create("bench", MFD_CLOEXEC);
  if (file < 0) give_up("memfd_create");
  if (ftruncate(file, off_t(bytes)) != 0) give_up("ftruncate of a memory file");
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (pages == MAP_FAILED) give_up("mmap of a memory file");
  close(file);
  return static_cast<std::byte*>(pages);
}

void run_processes(const std::vector<int>& cores, std::size_t memory_bytes,
                   const std::function<void(SharedWorld&)>& body, unsigned seconds) {
  auto& control = *new (shared_pages(sizeof(SharedWorld::Control))) SharedWorld::Control{};
  std::byte* memory = shared_pages(memory_bytes);
  const pid_t parent = getpid();
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const pid_t child = fork();
    if (child < 0) {
      const int error = errno;
      end_all(children);
      errno = error;
      give_up("fork");
    }
    SharedWorld world(control, memory, int(i), int(cores.size()));
    if (child == 0) run_child(parent, cores[i], seconds, world, body);
    children.push_back(child);
  }
  bool well = true;
  for (std::size_t left = children.size(); left > 0; --left) {
    int status = 0;
    const pid_t ended = wait(&status);
    std::size_t index = 0;
    while (index < children.size() && children[index] != ended) ++index;
    // The others would wait for the lost one for ever.
    if (well && !ended_well(status, index)) {
      well = false;
      end_all(children);
    }
  }
  if (!well) std::exit(1);
  munmap(&control, sizeof control);
  munmap(memory, memory_bytes);
}

}  // namespace bench
