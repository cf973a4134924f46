// Two functions that must be the same to the processor: a sum over a container's local part, and one over plain memory.
#include <polder/containers/matrix.hpp>

#include <cstddef>
#include <span>

extern "C" double through_container(const polder::containers::Array<double>& array, std::size_t i) {
  return array.local()[i];
}
extern "C" double through_span(const std::span<const double>& memory, std::size_t i) {
  return memory[i];
}
