// A recorded call takes no lock, allocates nothing and asks the kernel for nothing:
//
//   quiet_call cpp|gaspi      with POLDER_TRACE set, as a job of one rank
//
// malloc() and the locks of threads are this program's own and count; a filter of the kernel's (seccomp) ends what makes
// the calls at its first system call. Without the trace, or with a call that does what it should not, it fails, too: it tries.
#include <GASPI.h>
#include <polder/runtime.hpp>
#include <polder/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
}

namespace {

constinit bool counting = false;
constinit unsigned allocations = 0, locks = 0;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

constexpr int kCalls = 1000;  // far less than half a ring holds, so that the writer need not be woken
enum Found : int { nothing = 0, an_allocation = 1, a_lock = 2 };

// Ends the process with what the calls did beside what they should. A child has the ring of this thread, too.
[[noreturn]] void make(const std::function<void()>& call, int count = kCalls) {
  std::array<sock_filter, 4> only_exit{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),  // the number of the system call
                                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
                                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)}};
  const sock_fprog program{only_exit.size(), only_exit.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(77);  // the machine forbids filters
  counting = true;
  for (int i = 0; i < count; ++i) call();
  counting = false;
  _exit((allocations != 0 ? an_allocation : nothing) | (locks != 0 ? a_lock : nothing));
}

// The child's exit code, or 100 and its signal.
int outcome_of(const std::function<void()>& call) {
  const pid_t child = fork();
  if (child == 0) make(call);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

int check(const char* what, const std::function<void()>& call) {
  call();  // the first one gives the thread its ring
  const int code = outcome_of(call);
  if (code != 0)
    std::fprintf(stderr, "quiet_call: %s: %s\n", what,
                 code == 77         ? "the machine forbids filters of system calls"
                 : code == 100 + 31 ? "a system call"
                 : code == 1        ? "an allocation"
                 : code == 2        ? "a lock"
                                    : "an allocation and a lock, or an end of another kind");
  return code;
}

// What counts must be able to find something.
bool sees() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const auto locked = [&] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  };
  const auto allocated = [] {
    void* volatile memory = std::malloc(10);
    std::free(memory);
  };
  const int alone = outcome_of([] {}), lock = outcome_of(locked), allocation = outcome_of(allocated);
  const int system_call = outcome_of([] { (void)syscall(SYS_getpid); });
  return alone == 77 || (alone == 0 && lock == a_lock && allocation == an_allocation && system_call == 100 + 31);
}

int check_cpp() {
  auto joined = polder::Runtime::create();
  if (!joined) return 99;
  polder::Runtime& rt = **joined;
  if (!polder::Trace::of(rt).active()) return 98;
  if (!rt.create_segment({.size = 4096, .id = 0, .notifications = 8})) return 97;
  std::uint64_t data = 1;
  int worst = 0;
  const auto with = [&](const char* what, const std::function<void()>& call) {
    const int code = check(what, call);
    worst = worst != 0 ? worst : code;
  };
  const polder::TraceName region("region");
  const polder::Trace trace = polder::Trace::of(rt);
  with("put", [&] { (void)rt.put(&data, {0, 0, 64}, sizeof data).ok(); });
  with("get", [&] { (void)rt.get(&data, {0, 0, 64}, sizeof data).ok(); });
  with("put_notify", [&] { (void)rt.put_notify(&data, {0, 0, 64}, sizeof data, {.id = 1}).ok(); });
  with("wait_some", [&] { (void)rt.wait_some(0, 1, 1, polder::Timeout::test()).ok(); });
  with("fetch_add", [&] { (void)rt.fetch_add<std::uint64_t>({0, 0, 128}, 1, polder::Timeout::block()).ok(); });
  with("a region, a mark and a counter", [&] {
    const polder::TraceRegion within(trace, region);
    trace.mark(region, 1);
    trace.count(region, 2);
  });
  return worst;
}

int check_gaspi() {
  if (gaspi_proc_init(GASPI_BLOCK) != GASPI_SUCCESS || polder_trace_active() == 0) return 98;
  if (gaspi_segment_create(0, 4096, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED) != GASPI_SUCCESS) return 97;
  // In this process, since a child of it has no GASPI: it ends here, well or by SIGSYS.
  const auto calls = [] {
    gaspi_notification_id_t first = 0;
    gaspi_write(0, 0, 0, 0, 64, 8, 0, GASPI_TEST);
    gaspi_write_notify(0, 0, 0, 0, 64, 8, 1, 1, 0, GASPI_TEST);
    gaspi_notify_waitsome(0, 1, 1, &first, GASPI_TEST);
  };
  calls();
  make(calls, 8);  // queues hand out room in portions, under a lock
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  allocations += counting;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  allocations += counting;
  return __libc_calloc(count, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  allocations += counting;
  return __libc_realloc(old, bytes);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  locks += counting;
  return real(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static auto* const real = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  locks += counting;
  return real(mutex);
}

}  // extern "C"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (!sees()) return std::fprintf(stderr, "quiet_call: it does not see what it should\n"), 96;
  return std::string_view(argv[1]) == "gaspi" ? check_gaspi() : check_cpp();
}
