// Calls that a shared library makes to functions of others, led elsewhere.
#pragma once

namespace polder::device::wire {

using AnyFunction = void (*)();

// From now on the library that holds the address `inside` calls `replacement` where it called the function `name` of
// another library. Returns what it would have called, for `replacement` to go on with; null: it calls no such function,
// or its table of such calls cannot be changed. Never undone: a call may be under way at any time.
AnyFunction redirect(const void* inside, const char* name, AnyFunction replacement);

}  // namespace polder::device::wire
