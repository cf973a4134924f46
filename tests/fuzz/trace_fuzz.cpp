// Any bytes as the trace file of a rank: refused, or read as far as it is whole, and surveyed to the same effect.
#include "memory_file.hpp"
#include "trace/read/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polder::trace;
  const MemoryFile file(data, size);
  std::uint64_t events = 0;
  const auto trace = read_trace(file.path(), [&](std::span<const Event> piece) { events += piece.size(); });
  const auto survey = survey_trace(file.path());
  if (trace.ok() != survey.ok()) std::abort();
  if (!trace.ok()) return 0;
  if (trace->events != events || events > size / sizeof(Event)) std::abort();
  for (std::uint32_t kind = 0; kind < 300; ++kind) static_cast<void>(trace->name_of(EventKind(kind)));
  static_cast<void>(trace->host());
  return 0;
}
