// Where the copies of an epoch are, as members tell it to those that have none.
#pragma once

#include "ckpt/copy_reader.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::ckpt {

std::size_t words_of_epoch(std::size_t parts);
std::vector<std::uint64_t> encode_epoch(const SavedEpoch& saved);
// As another member says it, in a job of so many ranks. system: no member says that.
Result<SavedEpoch> decode_epoch(std::span<const std::uint64_t> words, Rank job_size);

}  // namespace polder::ckpt
