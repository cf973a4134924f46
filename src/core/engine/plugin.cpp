#include "core/engine/plugin.hpp"

#include "core/engine/options.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace polder::core {
namespace {

namespace fs = std::filesystem;

// Every plug-in carries it as the string polder_plugin_version, and a sum of the headers that it shares with this library
// as polder_plugin_interface: see polder_plugin() in cmake/.
constexpr const char* kVersion = POLDER_VERSION;

std::string_view interface_of(std::string_view kind) {
  return kind == "bootstrap" ? POLDER_BOOTSTRAP_INTERFACE : POLDER_DEVICE_INTERFACE;
}

// The folder of the shared library, or of the program, that this code is a part of.
fs::path own_folder() {
  std::error_code error;
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&plugin_folders), &about) != 0 && about.dli_fname != nullptr) {
    const fs::path file = fs::canonical(about.dli_fname, error);
    if (!error && file.has_parent_path() && fs::path(about.dli_fname).is_absolute()) return file.parent_path();
  }
  return fs::canonical("/proc/self/exe", error).parent_path();  // a program knows itself by the name it was called by
}

void add_listed(std::vector<std::string>& folders, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = list.find(':');
    if (end != 0) folders.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
}

// Where the run path of the program leads, as that of programs linked with polder::static does, and LD_LIBRARY_PATH. The loader is
// asked, because dlopen() goes by the run path of whoever calls it, and a sanitizer calls it for others.
std::vector<std::string> folders_of_loader() {
  void* const program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo sizes{};
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &sizes) != 0) return {};
  const std::unique_ptr<void, decltype(&std::free)> memory(std::malloc(sizes.dls_size), &std::free);
  auto* const found = static_cast<Dl_serinfo*>(memory.get());
  std::vector<std::string> folders;
  if (found == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, found) != 0 ||
      dlinfo(program, RTLD_DI_SERINFO, found) != 0)
    return folders;
  for (unsigned i = 0; i < found->dls_cnt; ++i) folders.emplace_back(found->dls_serpath[i].dls_name);
  return folders;
}

std::string joined(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) text += (text.empty() ? "" : ", ") + folder;
  return text;
}

// Never unloaded: its threads and exit handlers may outlive any runtime.
Result<void*> open_object(std::string_view kind, const std::string& what, const std::string& file) {
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (object == nullptr) {
    const char* why = dlerror();
    return Status(Code::unsupported, what + " cannot be loaded: " + (why == nullptr ? file : std::string(why)));
  }
  const auto* version = static_cast<const char*>(dlsym(object, "polder_plugin_version"));
  if (version == nullptr || std::string_view(version) != kVersion)
    return Status(Code::unsupported, what + ": " + file + " belongs to Polder " +
                                         (version == nullptr ? "of an unknown version" : version) + ", this is " +
                                         kVersion);
  const auto* interface = static_cast<const char*>(dlsym(object, "polder_plugin_interface"));
  if (interface != nullptr && interface == interface_of(kind)) return object;
  return Status(Code::unsupported, what + ": " + file + " was built with other headers of Polder (" +
                                       (interface == nullptr ? "it does not say which" : interface) + ", not " +
                                       std::string(interface_of(kind)) + "): build it again");
}

}  // namespace

std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  add_listed(folders, plugin_path_option());
  const fs::path own = own_folder();
  // Beside the library; from bin/; from libexec/polder/, and from tests/bin/ of a build tree.
  for (const char* step : {"polder", "../" POLDER_LIBDIR "/polder", "../lib/polder", "../../" POLDER_LIBDIR "/polder",
                           "../../lib/polder"}) {
    const std::string folder = (own / step).lexically_normal().string();
    if (folders.empty() || folders.back() != folder) folders.push_back(folder);
  }
  return folders;
}

Result<void*> find_in_plugin(std::string_view kind, const std::string& name, const char* symbol) {
  const std::string what = std::string(kind) + " " + name;
  const std::string file = "libpolder-" + name + ".so";
  const std::vector<std::string> own = plugin_folders();
  std::vector<std::string> folders = own;
  for (std::string& folder : folders_of_loader()) folders.push_back(std::move(folder));
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + file;
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    auto object = open_object(kind, what, path);
    if (!object.ok()) return object;
    if (void* found = dlsym(*object, symbol)) return found;
    return Status(Code::unsupported, what + ": " + path + " has no function " + symbol);
  }
  return Status(Code::unsupported, what + " is not installed: " + file + " was not found in " + joined(own) +
                                       ", nor in the program's run path; POLDER_PLUGIN_PATH may name its folder");
}

}  // namespace polder::core
