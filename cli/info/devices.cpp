#include "core/engine/plugin.hpp"
#include "device/plugin.hpp"
#include "info/sections.hpp"
#include "util/cross_attach.hpp"
#include "util/fd.hpp"
#include "util/shared_memory.hpp"

#include <fmt/format.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace polder::cli {
namespace {

char probe_byte = 1;  // lies at the same address in the parent and both children

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

// A process to be read, as a rank would be: alive until `alive` is closed. Says on `ready` that it can be read.
[[noreturn]] void be_target(int ready, int alive, bool permit) {
  if (permit) util::permit_cross_attach();
  char byte = 0;
  if (write(ready, &byte, 1) != 1) _exit(1);
  _exit(read(alive, &byte, 1) == 0 ? 0 : 1);
}

// Tried between two children, since a parent may read its child where ranks may not read each other.
bool sibling_can_read(pid_t target) {
  const pid_t reader = fork();
  if (reader == 0) _exit(util::cross_attach_allowed(target, reinterpret_cast<std::uint64_t>(&probe_byte)) ? 0 : 1);
  return reader > 0 && wait_for(reader) == 0;
}

bool attach_works(bool permit) {
  int ready[2], alive[2];
  if (pipe(ready) != 0) return false;
  if (pipe(alive) != 0) return false;
  util::Fd ready_read(ready[0]), ready_write(ready[1]), alive_read(alive[0]), alive_write(alive[1]);
  const pid_t target = fork();
  if (target == 0) {
    alive_write.reset();
    be_target(ready_write.get(), alive_read.get(), permit);
  }
  ready_write.reset();
  char byte;
  const bool works = target > 0 && read(ready_read.get(), &byte, 1) == 1 && sibling_can_read(target);
  alive_write.reset();
  if (target > 0) wait_for(target);
  return works;
}

std::string memory_file_text() {
  const auto file = util::create_memory_file("polder-info", 4096);
  if (!file) return file.status().to_string();
  const auto again = util::open_peer_file(getpid(), file->get());
  return again ? "yes" : again.status().to_string();
}

std::string cross_attach_text() {
  if (attach_works(false)) return "yes";
  if (attach_works(true)) return "yes, by permission of the owner (ptrace_scope 1; ranks give it)";
  return "no: the system refuses (ptrace_scope 2 or more, or a container without the right); by messages instead";
}

// Of a plug-in; loading it takes a moment.
std::string plugin_text(const char* network) {
  const auto found = core::find_in_plugin("device", network, device::kCreateDevice);
  return found.ok() ? "yes" : std::string(found.status().message());
}

}  // namespace

std::string device_text() {
  return fmt::format(
      "  auto      shm where all ranks are on one machine, else mixed\n"
      "  shm       ranks of one machine load and store each other's segments\n"
      "            shared segments: {}\n"
      "            memory that the user brings, by cross-memory attach: {}\n"
      "  tcp       sockets of the kernel\n"
      "            can be loaded: {}\n"
      "  ucx       networks that UCX knows\n"
      "            can be loaded: {}\n"
      "  ofi       networks that libfabric knows\n"
      "            can be loaded: {}\n"
      "  mixed     shm within a machine, a network (POLDER_NETWORK) between\n"
      "  NAME      a plug-in of that name, libpolder-NAME.so\n",
      memory_file_text(), cross_attach_text(), plugin_text("tcp"), plugin_text("ucx"), plugin_text("ofi"));
}

}  // namespace polder::cli
