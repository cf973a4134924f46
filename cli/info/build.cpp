#include "build_info.hpp"
#include "info/sections.hpp"

#include <fmt/format.h>

namespace polder::cli {

std::string build_text() {
  return fmt::format("  version   {}\n  compiler  {}\n  build     {} ({})\n", kVersion, kCompiler, kBuildType, kFlags);
}

}  // namespace polder::cli
