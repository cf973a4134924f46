// The interface that this folder implements, without the calls that depend on the MPI library, and with the visibility
// that its symbols need.
//
// Each call is defined as PARMCI_X, and beside it stands one line that makes ARMCI_X a weak alias of it, for tools that
// interpose. Nothing in this folder calls an ARMCI_X: a tool would see calls that the program never made.
#pragma once

#pragma GCC visibility push(default)
#include <armci_calls.h>
#include <message_calls.h>
#include <parmci.h>
#pragma GCC visibility pop
