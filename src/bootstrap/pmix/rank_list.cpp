#include "bootstrap/pmix/rank_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace polder::bootstrap::pmix {
namespace {

// Takes a number off the front of `text`.
std::optional<Rank> take_number(std::string_view& text) {
  Rank number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(std::size_t(stop - text.data()));
  return number;
}

bool take_letter(std::string_view& text, char letter) {
  if (text.empty() || text.front() != letter) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::vector<Rank> parse_ranks(std::string_view text, Rank limit) {
  std::vector<Rank> ranks;
  do {
    const auto first = take_number(text);
    const auto last = first && take_letter(text, '-') ? take_number(text) : first;
    if (!last || *last < *first || *last >= limit || *last - *first >= limit - ranks.size()) return {};
    for (Rank rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
  } while (take_letter(text, ','));
  if (!text.empty()) return {};
  std::sort(ranks.begin(), ranks.end());
  if (std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end()) return {};
  return ranks;
}

}  // namespace polder::bootstrap::pmix
