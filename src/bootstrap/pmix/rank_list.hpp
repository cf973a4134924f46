// Lists of ranks as PMIx writes them.
#pragma once

#include <polder/types.hpp>

#include <string_view>
#include <vector>

namespace polder::bootstrap::pmix {

// The ranks of "0,1,5-7", upwards; empty if that is not what `text` is, or if one of them is named twice or is `limit`
// or more.
std::vector<Rank> parse_ranks(std::string_view text, Rank limit);

}  // namespace polder::bootstrap::pmix
