// A file that goes when the program is told to end.
#pragma once

#include <mutex>
#include <string>
#include <thread>

namespace fmm {

// While it lives, SIGINT and SIGTERM first remove the file that it protects others from, then end the process as they
// always do. Made before other threads are started, which then leave these signals to it; one in a process.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  // The file to remove; empty: none any more. Thread safe.
  void remove_on_signal(const std::string& path);

 private:
  void wait_for_signal();

  std::mutex mutex_;
  std::string path_;
  int stop_[2] = {-1, -1};  // a pipe: closed at one end, the thread returns
  int signals_ = -1;
  std::thread thread_;
};

}  // namespace fmm
