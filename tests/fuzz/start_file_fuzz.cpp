// Any text as the machine file of a script that starts GASPI ranks, and any words as its variables.
#include "api/gaspi/life/start_file.hpp"
#include "memory_file.hpp"

#include <string>

namespace {

// Up to the next line feed; a variable holds no zeros.
std::string take_line(const std::uint8_t*& data, std::size_t& size) {
  std::string line;
  while (size > 0) {
    const char letter = char(*data++);
    --size;
    if (letter == '\n') break;
    if (letter != '\0') line += letter;
  }
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* name : {"GASPI_RANK", "GASPI_NRANKS", "GASPI_SN_PORT", "GASPI_JOB_KEY"})
    setenv(name, take_line(data, size).c_str(), 1);
  const MemoryFile file(data, size);
  setenv("GASPI_MFILE", file.path().c_str(), 1);
  const auto start = polder::gaspi::read_start_file(12121);
  if (start && (start->rank >= start->size || start->first_host.empty() || start->port.empty())) std::abort();
  return 0;
}
