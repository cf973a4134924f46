// What an algorithm is: a coroutine that returns a Task, and what runs it: a Strand.
//
//   Task binomial_broadcast(Wire& wire, Rank root, void* data, std::size_t bytes) {
//     ...
//     co_await wire.receive(parent, slot, data, bytes);   // suspends until the port says so
//     co_await children(wire, data, bytes);               // another task, run to its end
//   }
//
// The first parameter of such a function is the Strand that runs it, or a port of that strand (a Wire, say): its frame
// comes from there.
//
// Rules, because g++ 12 destroys temporaries of a co_await expression twice (tests/coll/task_test.cpp holds them):
//   - what is awaited is trivially destructible: a Task, or an awaiter of references and numbers;
//   - parameters of tasks are references, pointers, numbers and trivially destructible structs;
//   - no lambda with captures and no `condition ? X{} : Y{}` inside a co_await expression: give it a name before.
#pragma once

#include "coll/task/frames.hpp"
#include "util/assert.hpp"

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>

// GCC holds a frame's operator new, which has parameters, against its operator delete, which cannot have them. To the
// end of the file that includes this, because that is where frames are made.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace polder::coll {

class Strand;

// Something that a task waits for. Lies in the task's frame while the strand is blocked by it. Without virtual
// functions, because without a destructor: see above.
class Wait {
 public:
  // Does what can be done now. True: the task goes on.
  bool ready() { return ready_(*this); }

 protected:
  using Ready = bool (*)(Wait&);
  explicit Wait(Ready function) : ready_(function) {}

 private:
  Ready ready_;
};

// class Kind : public WaitFor<Kind> has a public `bool is_ready()`.
template <class Kind>
class WaitFor : public Wait {
 protected:
  WaitFor() : Wait([](Wait& wait) { return static_cast<Kind&>(wait).is_ready(); }) {}
};

// A call of a coroutine that has not begun. It is awaited by another task, or begun by a strand; both exactly once.
class Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

 private:
  friend class Strand;
  explicit Task(promise_type& promise) : promise_(&promise) {}
  promise_type* promise_;
};

// A task with all the tasks that it awaits: one thread of control, which holds no thread while it waits. Not copied,
// not moved; one thread at a time drives it.
class Strand {
 public:
  explicit Strand(Frames& frames) : frames_(frames) {}
  ~Strand() { abandon(); }
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  Frames& frames() const { return frames_; }

  // REQUIRES: nothing is under way.
  void begin(Task task) {
    POLDER_ASSERT(!under_way());
    top_ = task.promise_;
  }
  bool under_way() const { return top_ != nullptr; }

  // Goes on as far as it can without waiting. True: it has ended.
  bool advance();

  // Ends it where it is; frames are destroyed from the innermost outwards.
  void abandon();

 private:
  friend struct Task::promise_type;
  void leave();

  Frames& frames_;
  Task::promise_type* top_ = nullptr;  // the innermost task that is under way
  Wait* wait_ = nullptr;               // what blocks it
  bool ended_ = false;                 // it has just come to its end
};

// What a task sees of the world. Several ports may belong to one strand.
class Port {
 public:
  explicit Port(Strand& s) : strand(s) {}
  Strand& strand;
};

inline Strand& strand_of(Strand& strand) {
  return strand;
}
inline Strand& strand_of(const Port& port) {
  return port.strand;
}

struct Task::promise_type {
  template <class Runs, class... Parameters>
  explicit promise_type(Runs& runs, Parameters&&...) : strand(strand_of(runs)) {}

  template <class Runs, class... Parameters>
  static void* operator new(std::size_t bytes, Runs& runs, Parameters&&...) {
    return strand_of(runs).frames().take(bytes);
  }
  static void operator delete(void* frame) { Frames::give(frame); }

  Task get_return_object() { return Task(*this); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  void return_void() {}
  [[noreturn]] void unhandled_exception() { std::terminate(); }

  // No symmetric transfer: without optimisation it piles frames on the stack. The strand's loop goes on instead.
  struct End {
    bool await_ready() noexcept { return false; }
    void await_suspend(Handle task) noexcept { task.promise().strand.ended_ = true; }
    void await_resume() noexcept {}
  };
  End final_suspend() noexcept { return {}; }

  struct Call {
    Strand& strand;
    promise_type* callee;
    bool await_ready() { return false; }
    void await_suspend(Handle calling) {
      callee->caller = &calling.promise();
      strand.top_ = callee;
    }
    void await_resume() {}
  };
  static_assert(std::is_trivially_destructible_v<Call> && std::is_trivially_destructible_v<Task>);
  Call await_transform(Task task) { return {strand, task.promise_}; }

  template <class Condition>
  struct Blocked {
    Strand& strand;
    Condition condition;
    bool await_ready() { return condition.is_ready(); }
    void await_suspend(Handle) { strand.wait_ = &condition; }
    void await_resume() {}
  };
  template <class Condition>
  Blocked<Condition> await_transform(Condition condition) {
    static_assert(std::is_base_of_v<Wait, Condition> && std::is_trivially_destructible_v<Condition>);
    return {strand, condition};
  }

  Strand& strand;
  promise_type* caller = nullptr;
};

}  // namespace polder::coll
