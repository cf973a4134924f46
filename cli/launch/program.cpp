#include "launch/program.hpp"

#include "launch/run_options.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace polder::cli {
namespace {

enum class Kind { missing, folder, not_executable, program };

Kind kind_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Kind::missing;
  if (S_ISDIR(info.st_mode)) return Kind::folder;
  return access(path.c_str(), X_OK) == 0 ? Kind::program : Kind::not_executable;
}

Program not_found(std::string error) {
  return {.path = "", .exit_code = kExitNotFound, .error = std::move(error)};
}

Program not_executable(std::string error) {
  return {.path = "", .exit_code = kExitNotExecutable, .error = std::move(error)};
}

Program at_path(const std::string& path) {
  switch (kind_of(path)) {
    case Kind::missing: return not_found(fmt::format("program '{}' not found", path));
    case Kind::folder: return not_executable(fmt::format("'{}' is a directory, not a program", path));
    case Kind::not_executable: return not_executable(fmt::format("'{}' is not executable (chmod +x?)", path));
    case Kind::program: break;
  }
  return {.path = path, .exit_code = 0, .error = ""};
}

Program in_search_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  std::string unusable;
  while (true) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    const std::string path = folder.empty() ? "./" + name : fmt::format("{}/{}", folder, name);
    const Kind kind = kind_of(path);
    if (kind == Kind::program) return {.path = path, .exit_code = 0, .error = ""};
    if (kind == Kind::not_executable && unusable.empty()) unusable = path;
    if (folder.size() == rest.size()) break;
    rest.remove_prefix(folder.size() + 1);
  }
  if (!unusable.empty()) return not_executable(fmt::format("'{}' is not executable (chmod +x?)", unusable));
  const char* hint = kind_of("./" + name) == Kind::program ? "; did you mean './" : nullptr;
  return not_found(fmt::format("program '{}' not found in PATH{}", name, hint != nullptr ? hint + name + "'?" : ""));
}

}  // namespace

Program find_program(const std::string& name) {
  if (name.empty()) return not_found("the name of the program is empty");
  return name.find('/') != std::string::npos ? at_path(name) : in_search_path(name);
}

}  // namespace polder::cli
