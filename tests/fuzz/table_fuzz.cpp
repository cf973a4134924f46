// Any text as a table of collectives: refused with the line, and then nothing is changed, or rows that print as they read.
#include "coll/table/table.hpp"

#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polder;
  using namespace polder::coll;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Table before;
  Table table;
  const Status status = table.read(text);
  if (!status.ok()) {
    if (status.code() != Code::invalid_argument || !status.message().starts_with("line ")) std::abort();
    if (table.print() != before.print()) std::abort();
    return 0;
  }
  if (table.rows().size() < before.rows().size()) std::abort();
  // What fits every call is behind what was read.
  for (std::uint8_t kind = 1; kind <= std::uint8_t(kLastKind); ++kind) {
    const Choice choice{.kind = Kind(kind), .bytes = size * 1000, .members = Rank(1 + size % 50)};
    (void)table.choose(choice);
  }
  Table again;
  std::string rows;
  for (std::size_t i = 0; i < table.rows().size() - before.rows().size(); ++i)
    rows += to_string(table.rows()[i]) + "\n";
  if (!again.read(rows).ok() || again.print() != table.print()) std::abort();
  return 0;
}
