// What a runtime has of the outside world: its job, its network, and the file of its trace. Every part of core is
// handed it when it is made; nobody but the engine changes it.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "device/device.hpp"
#include "trace/record/recorder.hpp"
#include "util/forked.hpp"

#include <polder/types.hpp>

#include <memory>
#include <string>
#include <utility>

namespace polder::core {

struct Outside {
  Outside(std::unique_ptr<bootstrap::Bootstrap> with, std::unique_ptr<device::Device> over)
      : bootstrap(std::move(with)), device(std::move(over)), job_(bootstrap->job()) {}

  Rank rank() const { return job_.rank; }
  Rank size() const { return job_.size; }
  trace::Recorder* recorder() const { return trace.get(); }
  // Then what this rank shares with others is the parent's to change, not the caller's.
  bool in_forked_child() const { return home_.is_elsewhere(); }

  const std::unique_ptr<bootstrap::Bootstrap> bootstrap;
  std::unique_ptr<device::Device> device;  // null once the runtime has ended
  std::unique_ptr<trace::Recorder> trace;  // null: nothing is recorded
  std::string name;                        // of this runtime among those of its process: "runtime/0"

 private:
  const bootstrap::Job& job_;
  const util::HomeProcess home_;
};

}  // namespace polder::core
