#include "util/fibres.hpp"

#include "util/fibre_switch.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <climits>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

#include <sys/mman.h>

namespace polder::util {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local Fibres* t_here = nullptr;

}  // namespace

// Memory for a stack, with a page below it that nobody may touch.
class Fibres::Stack {
 public:
  explicit Stack(std::size_t bytes) : bytes_(round_up(bytes, kPage) + kPage) {
    void* const got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(got);
    mprotect(data_, kPage, PROT_NONE);
  }
  ~Stack() { munmap(data_, bytes_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  std::byte* bottom() const { return data_ + kPage; }
  std::size_t size() const { return bytes_ - kPage; }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

class VirtualTime::Task {
 public:
  std::uint64_t number = 0;
  std::string name;
  std::function<void()> body;
  std::atomic<std::uint32_t> ended{0};

  // As its machine sees it.
  std::unique_ptr<Fibres::Stack> stack;  // null: it has not begun, or has ended
  ucontext_t context;
  ExceptionState exceptions;
  void* fake_stack = nullptr;
  void* sanitized = nullptr;
  std::optional<Fibres::Turn> turn;
  const std::atomic<std::uint32_t>* word = nullptr;  // on which it sleeps
  std::uint32_t expected = 0;
};

bool Fibres::Turn::operator<(const Turn& other) const {
  return std::tie(time_ns, lot, task->number) < std::tie(other.time_ns, other.lot, other.task->number);
}

Fibres::Fibres(const FibresOptions& options)
    : options_(options), random_(mix(options.seed)), now_ns_(options.begin_ns) {}

Fibres::~Fibres() {
  for (const auto& task : tasks_)
    if (task->sanitized != nullptr) __tsan_destroy_fiber(task->sanitized);
}

Fibres* Fibres::here() {
  return t_here;
}

// ---- whose turn it is ----

void Fibres::put_in_line(Task& task, std::int64_t time_ns) {
  take_out_of_line(task);
  task.turn = Turn{time_ns, random_.next(), &task};
  line_.insert(*task.turn);
}

void Fibres::take_out_of_line(Task& task) {
  if (task.turn) line_.erase(*task.turn);
  task.turn.reset();
}

Fibres::End Fibres::run(const std::function<bool()>& done, std::int64_t until_ns) {
  Fibres* const before = std::exchange(t_here, nullptr);
  End end = End::done;
  while (!done()) {
    if (line_.empty()) {
      end = End::stuck;
      break;
    }
    const Turn next = *line_.begin();
    if (next.time_ns > until_ns) {
      end = End::late;
      break;
    }
    take_out_of_line(*next.task);
    now_ns_ = std::max(now_ns_, next.time_ns);
    ++steps_;
    course_ = mix(course_ ^ mix(next.task->number) ^ std::uint64_t(now_ns_));
    call(*next.task);
  }
  t_here = before;
  return end;
}

std::vector<std::string> Fibres::living() const {
  std::vector<std::string> names;
  for (const auto& task : tasks_)
    if (task->stack != nullptr) names.push_back(task->name);
  return names;
}

// ---- going from stack to stack ----

void Fibres::call(Task& task) {
  if (task.stack == nullptr) begin(task);
  running_ = &task;
  t_here = this;
  if (__tsan_get_current_fiber != nullptr) outside_sanitized_ = __tsan_get_current_fiber();
  ExceptionState outside = task.exceptions;
  outside.exchange();
  announce_switch(&outside_fake_stack_, task.stack->bottom(), task.stack->size(), task.sanitized);
  swapcontext(&outside_, &task.context);
  confirm_switch(outside_fake_stack_, nullptr, nullptr);
  outside.exchange();
  task.exceptions = outside;
  t_here = nullptr;
  running_ = nullptr;
  if (task.ended.load(std::memory_order_relaxed) == 0) return;
  free_stacks_.push_back(std::move(task.stack));
  if (task.sanitized != nullptr) __tsan_destroy_fiber(std::exchange(task.sanitized, nullptr));
  std::erase_if(tasks_, [&](const auto& each) { return each.get() == &task; });
}

void Fibres::begin(Task& task) {
  if (free_stacks_.empty()) {
    task.stack = std::make_unique<Stack>(options_.stack_bytes);
  } else {
    task.stack = std::move(free_stacks_.back());
    free_stacks_.pop_back();
  }
  if (__tsan_create_fiber != nullptr) task.sanitized = __tsan_create_fiber(0);
  getcontext(&task.context);
  task.context.uc_stack.ss_sp = task.stack->bottom();
  task.context.uc_stack.ss_size = task.stack->size();
  task.context.uc_link = nullptr;
  makecontext(&task.context, &Fibres::enter, 0);
}

// The first function on the stack of a fibre. It never returns.
void Fibres::enter() {
  Fibres& machine = *t_here;
  Task& task = *machine.running_;
  confirm_switch(nullptr, &machine.outside_stack_, &machine.outside_stack_bytes_);
  task.body();
  task.body = nullptr;
  task.ended.store(1, std::memory_order_relaxed);
  machine.wake(task.ended, INT_MAX);
  machine.leave(true);
}

// Back to run(), until the running fibre's turn has come again.
void Fibres::leave(bool for_good) {
  Task& task = *running_;
  announce_switch(for_good ? nullptr : &task.fake_stack, outside_stack_, outside_stack_bytes_, outside_sanitized_);
  swapcontext(&task.context, &outside_);
  confirm_switch(task.fake_stack, &outside_stack_, &outside_stack_bytes_);
}

// ---- starting and ending ----

std::shared_ptr<VirtualTime::Task> Fibres::start(std::string name, std::function<void()> body) {
  return start_at(now_ns_ + latency(), std::move(name), std::move(body));
}

std::shared_ptr<VirtualTime::Task> Fibres::start_at(std::int64_t when_ns, std::string name,
                                                    std::function<void()> body) {
  auto task = std::make_shared<Task>();
  task->number = ++started_;
  task->name = std::move(name);
  task->body = std::move(body);
  tasks_.push_back(task);
  put_in_line(*task, when_ns);
  return task;
}

void Fibres::join(Task& task) {
  const auto over = [&] { return task.ended.load(std::memory_order_relaxed) != 0; };
  if (t_here != this) {
    run(over);
    return;
  }
  while (!over()) sleep_on(task.ended, 0, INT64_MAX - now_ns_);
}

// ---- waiting ----

void Fibres::yield() {
  sleep(latency());
}

void Fibres::sleep(std::int64_t nanoseconds) {
  put_in_line(*running_, now_ns_ + nanoseconds);
  leave(false);
}

void Fibres::sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t nanoseconds) {
  if (word.load(std::memory_order_acquire) != expected) return;
  Task& task = *running_;
  task.word = &word;
  task.expected = expected;
  asleep_[&word].push_back(&task);
  sleep(nanoseconds);
  if (task.word != nullptr) stop_listening(task);
}

void Fibres::stop_listening(Task& task) {
  const auto found = asleep_.find(task.word);
  std::erase(found->second, &task);
  if (found->second.empty()) asleep_.erase(found);
  task.word = nullptr;
}

void Fibres::wake(const std::atomic<std::uint32_t>& word, int count) {
  const auto found = asleep_.find(&word);
  if (found == asleep_.end()) return wake_by_value();
  const std::vector<Task*> sleepers = found->second;
  for (Task* task : sleepers) {
    if (count-- == 0) break;
    stop_listening(*task);
    put_in_line(*task, now_ns_ + latency());
  }
}

// The word may be mapped at a second address, at which somebody sleeps.
void Fibres::wake_by_value() {
  std::vector<Task*> woken;
  for (const auto& task : tasks_)
    if (task->word != nullptr && task->word->load(std::memory_order_acquire) != task->expected)
      woken.push_back(task.get());
  for (Task* task : woken) {
    stop_listening(*task);
    put_in_line(*task, now_ns_ + latency());
  }
}

}  // namespace polder::util
