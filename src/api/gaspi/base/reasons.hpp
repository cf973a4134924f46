// GASPI_ERROR says nothing, and few programs know gaspi_error_detail: so the library says the reason itself.
#pragma once

namespace polder::gaspi {

// A line on standard error, once in the life of the process for each `kind`, an address that stands for it. With
// POLDER_GASPI_ERRORS=quiet nothing is said. Allocates nothing.
void say_reason(const void* kind, const char* reason);

// The rank that lines begin with from now on.
void say_reasons_as(unsigned rank);

}  // namespace polder::gaspi
