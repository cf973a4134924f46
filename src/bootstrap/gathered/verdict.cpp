#include "bootstrap/gathered/verdict.hpp"

#include <cstring>
#include <string>

namespace polder::bootstrap::gathered {

Verdict make_verdict(const Status& status) {
  Verdict verdict;
  std::memset(&verdict, 0, sizeof verdict);
  verdict.code = status.code();
  const std::string_view text = status.message();
  text.copy(verdict.text, sizeof verdict.text - 1);
  return verdict;
}

Status status_of(const Verdict& verdict, Rank rank) {
  if (is_good(verdict)) return {};
  // The verdict is another process's: a text need not end, a code need not exist.
  const Code code = verdict.code <= Code::owner_died ? verdict.code : Code::system;
  const std::string text(verdict.text, strnlen(verdict.text, sizeof verdict.text));
  return {code, "start of rank " + std::to_string(rank) + ": " + text};
}

Status agree(const Exchange& exchange, const Status& mine) {
  auto verdicts = gather(exchange, make_verdict(mine));
  if (!verdicts.ok()) return std::move(verdicts).status();
  return first_failure(*verdicts, [](const Verdict& each) -> const Verdict& { return each; });
}

}  // namespace polder::bootstrap::gathered
