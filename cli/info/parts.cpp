#include "build_info.hpp"
#include "info/sections.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace polder::cli {
namespace {

namespace fs = std::filesystem;

// Looked for beside this executable, wherever the tree was moved: an installed one, then a build folder, which has the
// modules of Fortran where programs look for those of GPI-2.
bool is_here(const Part& part) {
  if (*part.file == '\0') return part.built;
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path(), file = part.file;
  const fs::path candidates[] = {bin / kLibraryDirectory / file, bin / ".." / "lib" / file,
                                 bin / ".." / "gpi2" / "include" / file.filename()};
  for (const fs::path& candidate : candidates)
    if (fs::exists(candidate, error)) return true;
  return false;
}

std::string text_of(const Part& part) {
  if (is_here(part)) return "yes";
  if (part.built) return fmt::format("not installed here; it is in the package {}", part.package);
  return fmt::format("no: not there when Polder was built; install {} and build anew", part.get);
}

}  // namespace

std::string parts_text() {
  std::string out;
  for (const Part& part : kParts) out += fmt::format("  {:30}{}\n", part.name, text_of(part));
  return out;
}

}  // namespace polder::cli
