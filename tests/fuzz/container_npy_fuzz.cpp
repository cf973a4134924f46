// Any bytes as a .npy file for a container: refused with a Failure that names the file, or extents.
#include "memory_file.hpp"

#include <polder/containers/npy.hpp>

#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polder::containers;
  const MemoryFile memory(data, size);
  try {
    SharedFile file(memory.path(), "rb");
    const NpyHeader header = read_npy_header(file);
    if (header.data > size) std::abort();
    const auto extents = extents_of<2>(file, header);
    for (const std::size_t extent : extents)
      if (extent > 999'999'999'999'999'999) std::abort();
  } catch (const Failure& failure) {
    if (std::string(failure.what()).find(memory.path()) == std::string::npos) std::abort();
  }
  return 0;
}
