// What has to be told, and kept, when a thread goes from one stack to another.
//
// The address sanitizer must know the stack's bounds, the thread sanitizer which fibre runs; both are asked for through
// weak symbols, which are null where no sanitizer is linked. The C++ library keeps exceptions under way per thread.
#pragma once

#include <cxxabi.h>
#include <cstddef>
#include <cstring>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace polder::util {

// Before the switch. `fake_stack`: where the stack that is left is remembered; null: it will not be entered again.
inline void announce_switch(void** fake_stack, const void* bottom, std::size_t size, void* tsan_fiber) {
  if (__sanitizer_start_switch_fiber != nullptr) __sanitizer_start_switch_fiber(fake_stack, bottom, size);
  if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(tsan_fiber, 0);
}

// After it, on the new stack. `bottom` and `size`, if not null, get the bounds of the stack that was left.
inline void confirm_switch(void* fake_stack, const void** bottom, std::size_t* size) {
  if (__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
}

// Exceptions that are being handled: two words of each thread, by the C++ ABI.
class ExceptionState {
 public:
  void exchange() {
    void* const place = abi::__cxa_get_globals();
    ExceptionState now;
    std::memcpy(now.words_, place, sizeof words_);
    std::memcpy(place, words_, sizeof words_);
    *this = now;
  }

 private:
  void* words_[2] = {};
};

}  // namespace polder::util
