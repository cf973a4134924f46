// Any bytes as pieces of the letters of a unit of DART: refused, or put together, and no letter is larger than all that came.
//
//   input: | length, 1 byte | a head and a piece | ...
#include "api/dart/collective/incoming_letters.hpp"

#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  polder::dart::IncomingLetters letters;
  std::size_t came = 0;
  for (std::size_t at = 0; at < size;) {
    const std::size_t length = std::min<std::size_t>(bytes[at], size - at - 1);
    const std::span message(reinterpret_cast<const std::byte*>(bytes) + at + 1, length);
    at += 1 + length;
    if (letters.take(message, 0)) came += length - sizeof(polder::dart::LetterHead);
    for (int tag = 0; tag < 4; ++tag)
      while (letters.has(tag)) {
        const std::size_t taken = letters.next(tag).size();
        if (taken > came) std::abort();
        came -= taken;
      }
  }
  letters.drop();
  for (int tag = 0; tag < 4; ++tag)
    if (letters.has(tag)) std::abort();
  return 0;
}
