#include "gpi2_directory.hpp"

#include "build_info.hpp"

#include <system_error>

namespace polder::cli {

namespace fs = std::filesystem;

std::vector<fs::path> gpi2_candidates() {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  return {(bin / kGpi2Directory).lexically_normal(), (bin / ".." / "gpi2").lexically_normal()};
}

fs::path gpi2_directory() {
  for (const fs::path& directory : gpi2_candidates()) {
    std::error_code ignored;
    if (fs::exists(directory / "include" / "GASPI.h", ignored)) return directory;
  }
  return {};
}

}  // namespace polder::cli
