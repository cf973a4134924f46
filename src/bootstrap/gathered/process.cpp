#include "bootstrap/gathered/process.hpp"

#include "util/shared_memory.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <string>

namespace polder::bootstrap::gathered {
namespace {

// Since Linux 5.1 and 5.3; the numbers are the same on all processors.
constexpr long kPidfdSendSignal = 424;
constexpr long kPidfdOpen = 434;

std::string read_stat(pid_t pid) {
  const util::Fd file(open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t bytes = file ? read(file.get(), text, sizeof text) : -1;
  return bytes > 0 ? std::string(text, std::size_t(bytes)) : std::string();
}

Status ended(const ProcessId& id) {
  return {Code::peer_failed, "process " + std::to_string(id.pid) + " has ended", Died::peer};
}

}  // namespace

// proc(5): "pid (name) state parent ...", with the time of the start as word 22. The name may hold anything, so words
// are counted from its end.
std::optional<ProcessInfo> look_up_process(pid_t pid) {
  const std::string text = read_stat(pid);
  const auto end = text.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(end + 1));
  ProcessInfo info;
  std::string state, skipped;
  words >> state >> info.parent;
  for (int word = 5; word < 22; ++word) words >> skipped;
  words >> info.id.started;
  if (!words) return std::nullopt;
  info.id.pid = pid;
  return info;
}

ProcessId this_process() {
  const auto info = look_up_process(getpid());
  return info ? info->id : ProcessId{getpid(), 0};
}

Result<util::Fd> open_process(const ProcessId& id) {
  util::Fd process(int(syscall(kPidfdOpen, id.pid, 0)));
  if (!process && errno == ESRCH) return ended(id);
  if (!process && (errno == ENOSYS || errno == EPERM))
    return Status(Code::unsupported, "the kernel does not let this process watch process " + std::to_string(id.pid));
  if (!process) return util::system_error("pidfd_open");
  // Opened first and looked at afterwards: whatever holds the number now is what was opened, or that has ended.
  const auto now = look_up_process(id.pid);
  if (!now || now->id != id) return ended(id);
  return process;
}

Status send_signal(const util::Fd& process, int signal) {
  if (syscall(kPidfdSendSignal, process.get(), signal, nullptr, 0) == 0) return {};
  if (errno == ESRCH) return {Code::peer_failed, "the process has ended", Died::peer};
  return util::system_error("pidfd_send_signal");
}

}  // namespace polder::bootstrap::gathered
