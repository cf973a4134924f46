// Numbers of 16 bits as floats, and back, rounded to the nearest, ties to even.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polder::coll {

float from_float16(std::uint16_t bits);
std::uint16_t to_float16(float value);
float from_bfloat16(std::uint16_t bits);
std::uint16_t to_bfloat16(float value);

// Vectors of them, at any address.
void widen_float16(const void* narrow, void* wide, std::size_t count);
void narrow_float16(const void* wide, void* narrow, std::size_t count);
void widen_bfloat16(const void* narrow, void* wide, std::size_t count);
void narrow_bfloat16(const void* wide, void* narrow, std::size_t count);

}  // namespace polder::coll
