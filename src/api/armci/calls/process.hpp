// This process's way into ARMCI and out of it.
#pragma once

#include "api/armci/job/context.hpp"
#include "api/armci/job/mpi.hpp"

#include <polder/status.hpp>

#include <memory>
#include <mutex>

namespace polder::armci {

class Process {
 public:
  // The first init joins; each further one only counts.
  Status init(const MpiStart& start);
  // The last finalize leaves; further ones do nothing.
  Status finalize();
  // Leaves without meeting anybody.
  void leave();
  ~Process() { leave(); }

  bool initialised() const { return count_ > 0; }

 private:
  Status join(const MpiStart& start);

  int count_ = 0;
  int owner_ = 0;  // the process that joined; a child that it forks must not leave in its name
  std::unique_ptr<Context> context_;
};

Process& process();

}  // namespace polder::armci
