// The way to the interface below this one.
#include "api/gaspi/life/at_term.hpp"
#include "api/gaspi/life/context.hpp"

#pragma GCC visibility push(default)
#include <GASPI_Polder.h>
#pragma GCC visibility pop

extern "C" polder::Runtime* polder_gaspi_runtime() {
  polder::gaspi::Context* const context = polder::gaspi::current();
  return context != nullptr ? &context->runtime() : nullptr;
}

extern "C" bool polder_gaspi_at_term(void (*end)()) {
  return polder::gaspi::call_at_term(end);
}
