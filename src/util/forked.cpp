#include "util/forked.hpp"

#include "util/mutex.hpp"

#include <unistd.h>

#include <mutex>
#include <vector>

namespace polder::util {

HomeProcess::HomeProcess() : process_(::getpid()) {}

bool HomeProcess::is_elsewhere() const {
  return ::getpid() != process_;
}

void leave_undestroyed(void* object) {
  struct Kept {
    Mutex mutex;
    std::vector<void*> objects;
  };
  static auto* const kept = new Kept;  // outlives static objects that end here
  std::lock_guard lock(kept->mutex);
  kept->objects.push_back(object);
}

}  // namespace polder::util
