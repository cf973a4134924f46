#include "coll/window/same_spec.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace polder::coll {

Status agree_on_spec(Group& group, std::span<const SpecField> fields, const Status& here, const char* what,
                     Timeout timeout) {
  std::vector<std::uint64_t> mine{std::uint64_t(here.code())};
  for (const SpecField& field : fields) mine.push_back(field.value);
  const auto told = group.allgather(std::as_bytes(std::span(mine)), timeout);
  if (!told.ok()) return told.status();
  std::vector<std::uint64_t> all(mine.size() * group.size());
  std::memcpy(all.data(), told->data(), told->size());
  if (!here.ok()) return here;
  for (std::size_t member = 0; member < group.size(); ++member) {
    const std::span theirs = std::span(all).subspan(member * mine.size(), mine.size());
    const std::string rank = "rank " + std::to_string(group.absolute(Rank(member)));
    const auto refused = [&](const std::string& text, Code code = Code::invalid_argument) {
      return Status(code, std::string(what) + ": " + text);
    };
    if (theirs[0] != 0) return refused(rank + " has a spec that cannot be", Code(theirs[0]));
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (theirs[i + 1] != fields[i].value)
        return refused(std::string(fields[i].name) + " is " + std::to_string(fields[i].value) + " here and " +
                       std::to_string(theirs[i + 1]) + " at " + rank);
  }
  return {};
}

}  // namespace polder::coll
