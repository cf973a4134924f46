#include "core/engine/engine.hpp"

#include <polder/runtime.hpp>
#include <polder/shown_wait.hpp>

namespace polder {
namespace {

constexpr std::int64_t kLong = core::LongWaiting::kLong;

}  // namespace

void ShownWait::look(std::string_view what, Rank whom) {
  core::Progress& progress = runtime_.engine().progress();
  bootstrap::Standing* const standing = progress.standing();
  if (standing == nullptr) return;
  const std::int64_t now = progress.clock().now_ns();
  if (since_ns_ == 0) since_ns_ = now;
  if (now - since_ns_ < kLong || !standing->take()) return;
  bootstrap::LongWait wait;
  wait.since_ns = since_ns_;
  wait.paused_ns = now;  // given back at once: a wait of the runtime may have it
  wait.say(what);
  if (whom != kNobody) wait.wait_for(whom);
  standing->give_back(wait);
  shown_ = true;
}

ShownWait::~ShownWait() {
  if (since_ns_ == 0) return;
  core::Progress& progress = runtime_.engine().progress();
  bootstrap::Standing& standing = *progress.standing();
  standing.count_sleep(progress.clock().now_ns() - since_ns_);
  if (shown_ && standing.take()) standing.give_back();
}

}  // namespace polder
