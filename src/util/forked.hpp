// What a child that the process has forked must leave alone. It has a copy of its parent's objects, but the memory that
// they share with others is still that of the parent, and so are their threads and their places in a job.
#pragma once

#include <sys/types.h>

namespace polder::util {

// The process in which it was made.
class HomeProcess {
 public:
  HomeProcess();
  // The caller is in a child of it. A system call.
  bool is_elsewhere() const;

 private:
  const pid_t process_;
};

// `object` will not be destroyed, and is meant not to be: it stays where leak checkers find it.
void leave_undestroyed(void* object);

}  // namespace polder::util
