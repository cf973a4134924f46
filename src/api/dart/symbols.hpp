// The interface that this folder implements, with the visibility that its symbols need.
#pragma once

#include <cstdint>

using hid_t = std::int64_t;  // as HDF5 has it since 1.10; its headers need not be there

#pragma GCC visibility push(default)
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_io.h>
#include <dash/dart/if/dart_locality.h>
#pragma GCC visibility pop
