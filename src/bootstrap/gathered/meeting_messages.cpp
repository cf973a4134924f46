#include "bootstrap/gathered/meeting_messages.hpp"

#include <algorithm>
#include <cstring>

namespace polder::bootstrap::gathered {
namespace {

constexpr std::size_t kNamed = 8;  // of the missing ranks; more are counted

}  // namespace

Reply make_reply(Reply::Kind kind, const std::string& text) {
  Reply reply;
  std::memset(&reply, 0, sizeof reply);
  reply.kind = kind;
  text.copy(reply.text, sizeof reply.text - 1);
  return reply;
}

std::string describe_missing(const std::vector<Rank>& missing, Rank size) {
  std::string text = missing.size() == 1 ? "rank " : "ranks ";
  const std::size_t named = std::min(missing.size(), kNamed);
  for (std::size_t i = 0; i < named; ++i) {
    if (i != 0) text += i + 1 == missing.size() ? " and " : ", ";
    text += std::to_string(missing[i]);
  }
  if (named < missing.size()) text += " and " + std::to_string(missing.size() - named) + " more";
  return text + " of " + std::to_string(size) + " did not come";
}

}  // namespace polder::bootstrap::gathered
