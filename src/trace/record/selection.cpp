#include "trace/record/selection.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace polder::trace {

namespace {

// Calls use(word) for each word between commas.
template <class Use>
void for_each_word(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool number(std::string_view text, Rank& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool seconds(std::string_view text, double& value) {
  const std::string copy(text);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  return !copy.empty() && end == copy.c_str() + copy.size() && value >= 0 && value <= 1e9;
}

}  // namespace

void EventSelection::set_kinds(std::string_view names) {
  by_kind_ = !names.empty();
  words_.clear();
  for_each_word(names, [&](std::string_view word) { words_.push_back({std::string(word)}); });
}

std::string EventSelection::unknown_words() const {
  std::string unknown;
  for (const Word& word : words_)
    if (!word.known) unknown += (unknown.empty() ? "" : ",") + word.text;
  return unknown;
}

bool EventSelection::named_as(const KindName& entry) {
  bool named = false;
  for (Word& word : words_) {
    const bool means_it = word.text == entry.name || word.text == entry.category;
    word.known = word.known || means_it;
    named = named || means_it;
  }
  return named;
}

void EventSelection::add(std::span<const KindName> names) {
  for (const KindName& entry : names) {
    if (carries_data(entry.like)) carry_data_.add(entry.kind);
    if (!by_kind_) continue;
    const auto shared = std::ranges::find(shared_kinds(), entry.like, &KindName::kind);
    if (named_as(entry) || (shared != shared_kinds().end() && named_as(*shared))) kinds_.add(entry.kind);
  }
}

Result<bool> names_rank(std::string_view ranks, Rank rank) {
  bool named = ranks.empty(), wrong = false;
  for_each_word(ranks, [&](std::string_view word) {
    const std::size_t dash = word.find('-');
    Rank first = 0, last = 0;
    if (!number(word.substr(0, dash), first)) wrong = true;
    if (dash == std::string_view::npos)
      last = first;
    else if (!number(word.substr(dash + 1), last))
      wrong = true;
    named = named || (first <= rank && rank <= last);
  });
  if (wrong) return Status(Code::invalid_argument, "trace: ranks as in 0,4-7, not " + std::string(ranks));
  return named;
}

Result<Window> window_of(std::string_view text) {
  Window window;
  const std::size_t dots = text.find("..");
  const std::string_view from = text.substr(0, dots);
  const std::string_view to = dots == std::string_view::npos ? "" : text.substr(dots + 2);
  const bool right = dots != std::string_view::npos && (from.empty() || seconds(from, window.from_s)) &&
                     (to.empty() || seconds(to, window.to_s)) && window.from_s <= window.to_s;
  if (!right)
    return Status(Code::invalid_argument,
                  "trace: a window in seconds as in 2..5, 2.. or ..5, not " + std::string(text));
  return window;
}

}  // namespace polder::trace
