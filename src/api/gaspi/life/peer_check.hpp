// Whether a call may be about some other process.
#pragma once

#include <GASPI.h>

namespace polder::gaspi {

class Context;

// Not before init (`context` is null), and of a process that there is.
gaspi_return_t check_rank(const char* operation, const Context* context, gaspi_rank_t rank);
// The same, of one that has not failed as far as anybody knows.
gaspi_return_t check_alive(const char* operation, const Context* context, gaspi_rank_t rank);

}  // namespace polder::gaspi
