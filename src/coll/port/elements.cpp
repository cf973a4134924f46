#include "coll/port/elements.hpp"

#include <exception>
#include <string>

namespace polder::coll {

Status combine_guarded(const Combine& combine, const void* one, const void* two, void* result, std::size_t count) {
  try {
    return combine(one, two, result, count);
  } catch (const std::exception& thrown) {
    return {Code::system, std::string("the function that combines threw an exception: ") + thrown.what()};
  } catch (...) {
    return {Code::system, "the function that combines threw what is no std::exception"};
  }
}

}  // namespace polder::coll
