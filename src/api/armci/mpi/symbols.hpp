// The whole interface, with the calls and types that depend on the MPI library.
#pragma once

#pragma GCC visibility push(default)
#include <armci.h>
#pragma GCC visibility pop
