// A callable by reference, for parameters of functions that are not templates: two words, no allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace polder::util {

template <class Signature>
class FunctionRef;

// The callable must outlive it. As a parameter it may be a lambda written in the call.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(F&& function)  // NOLINT: implicit, as callers write lambdas; what `requires` leaves is no FunctionRef
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace polder::util
