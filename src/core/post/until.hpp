// Blocking calls: posting, and waiting for what has been posted.
#pragma once

#include <polder/handle.hpp>
#include <polder/queue.hpp>
#include <polder/status.hpp>

#include "util/deadline.hpp"

namespace polder::core {

// Calls `post(how)`, and waits for as much as `wanted.until` says: with the handle of the caller, or one of its own.
template <class PostIt>
Status until_complete(const Post& wanted, util::Clock clock, PostIt&& post) {
  if (wanted.until == Until::posted) [[likely]]
    return post(wanted);
  const util::Deadline deadline(wanted.timeout, clock);
  Handle own;
  Post how = wanted;
  if (how.handle == nullptr) how.handle = &own;
  if (Status status = post(how); !status.ok()) return status;
  return how.handle->wait(wanted.until == Until::local ? Completion::local : Completion::remote, deadline.remaining());
}

}  // namespace polder::core
