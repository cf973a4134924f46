// Any bytes as cells of a table of rows: refused, or taken, and nothing outside of the member's window is read or written.
//
//   input: | which pipe, of whom, 1 byte | length, 1 byte | the cell | ...
#include "coll/lone_window.hpp"
#include "coll/rows/row_part.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace {

using namespace polder;
using namespace polder::coll;

Status keep_first(const void* one, const void*, void* result, std::size_t count) {
  std::memcpy(result, one, 8 * count);
  return {};
}

StaleTableSpec make_spec() {
  StaleTableSpec spec{.rows = 8, .row = {.count = 2, .element_size = 8, .combine = keep_first}};
  spec.cells = 2;
  spec.cell_bytes = 256;
  spec.cached_rows = 4;
  return spec;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  constexpr Rank kMembers = 3;
  static const StaleTableSpec spec = make_spec();
  const RowLayout layout(spec, kMembers);
  LoneWindow window(0, kMembers, layout.bytes(), layout.flags());
  RowPart part(window, spec, layout);
  constexpr std::array<std::uint64_t, 4> kTheirs{1, 2, 4, 5};
  part.ask(kTheirs, 0);
  std::uint64_t next[2][kMembers] = {};
  for (std::size_t at = 0; at + 2 <= size && !part.news().has_failed();) {
    const auto kind = RowPipeKind(bytes[at] & 1);
    const Rank peer = 1 + (bytes[at] >> 1) % (kMembers - 1);
    const std::size_t length = std::min<std::size_t>(bytes[at + 1], size - at - 2);
    std::uint64_t& number = next[unsigned(kind)][peer];
    const std::uint32_t pipe = layout.pipe(kind, peer);
    if (length != 0) std::memcpy(window.own() + layout.arriving(pipe, number), bytes + at + 2, length);
    window.raise_here(layout.arrived(pipe, number), RowLayout::tag(number));
    ++number;
    at += 2 + length;
    part.work();
    for (const std::uint64_t row : kTheirs) {
      std::array<std::byte, 16> values;
      Staleness told;
      if (part.is_fresh(row, 0) && (!part.read({&row, 1}, values.data(), told).ok() || told.slowest >= kMembers))
        std::abort();
    }
  }
  if (part.news().has_failed() && part.news().failure().code() != Code::system) std::abort();
  return 0;
}
