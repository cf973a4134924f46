// Operations whose caller waits for the answer: atomics on memory that cannot be loaded and stored.
#pragma once

#include "core/direct/update.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstdint>

namespace polder::core {

struct PostParts;

// Checks everything, changes the word, and returns its old value.
Result<std::uint64_t> atomic(PostParts& parts, GlobalAddress target, const Update& update, Timeout timeout);

}  // namespace polder::core
