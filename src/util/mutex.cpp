#include "util/mutex.hpp"

#include "util/fibres.hpp"

namespace polder::util {

void Mutex::lock_slowly() {
  if (Fibres::here() == nullptr) return mutex_.lock();
  while (!mutex_.try_lock()) yield_core();
}

}  // namespace polder::util
