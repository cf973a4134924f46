// The collective end of gaspi_segment_create: every member learns whether all have succeeded, and all that live learn the
// same.
#pragma once

#include "api/gaspi/base/symbols.hpp"

#include <polder/group.hpp>

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <optional>

namespace polder::gaspi {

// Not thread safe: the group lets one thread in at a time.
class CreationAgreement {
 public:
  // The segment whose creation is under way.
  const std::optional<gaspi_segment_id_t>& segment() const { return segment_; }
  // What this rank has said of its own part.
  bool success() const { return success_; }
  // Whether this rank has deleted its part meanwhile. The others wait for its voice all the same, so the group's next collective
  // runs the agreement to its end first.
  bool given_up() const { return given_up_; }

  void begin(gaspi_segment_id_t segment, bool success);
  void give_up() { given_up_ = true; }
  // Code::timeout: call again. Code::peer_failed, too, if a member had no success. Once it is ok, it stays so until
  // end().
  Status run(Group& group, Timeout timeout);
  void end() {
    segment_.reset();
    given_up_ = false;
  }

 private:
  std::optional<gaspi_segment_id_t> segment_;
  bool agreed_ = false;
  bool success_ = false;
  bool given_up_ = false;
};

}  // namespace polder::gaspi
