#include "bootstrap/local/launcher_news.hpp"

#include "util/log.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace polder::bootstrap::local {
namespace {

constexpr int kRoomTimeoutMs = 5000;

class LauncherControl final : public JobControl {
 public:
  explicit LauncherControl(std::shared_ptr<JobPage> page) : page_(std::move(page)) {}

  Status kill(Rank by, Rank rank) override {
    std::uint32_t nobody = 0;
    page_->slot(rank).kill_asked.compare_exchange_strong(nobody, by + 1);
    return send_news(*page_, {.kind = News::kill_asked, .rank = rank});
  }

  void abort(Rank by, int code, std::string_view reason) override {
    if (page_->request_abort(by, code, reason)) {
      if (Status status = send_news(*page_, {.kind = News::abort_asked, .rank = by}); !status.ok())
        util::log(util::LogLevel::error, "abort by rank %u (%.*s) did not reach the launcher: %s", by,
                  int(reason.size()), reason.data(), status.to_string().c_str());
    }
    _exit(code);
  }

 private:
  std::shared_ptr<JobPage> page_;
};

}  // namespace

Status send_news(int file, const News& news) {
  static_assert(sizeof(News) <= 512, "POSIX promises writes of up to 512 bytes in one piece");
  while (true) {
    if (write(file, &news, sizeof news) == ssize_t(sizeof news)) return {};
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return util::system_error("write to the launcher");
    pollfd room{.fd = file, .events = POLLOUT, .revents = 0};
    if (poll(&room, 1, kRoomTimeoutMs) == 0)
      return {Code::timeout, "the launcher does not read its news; is it stopped?"};
  }
}

Status send_news(const JobPage& page, const News& news) {
  const JobHeader& header = page.header();
  const std::string path = "/proc/" + std::to_string(header.launcher) + "/fd/" + std::to_string(header.news_file);
  util::Fd pipe(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (pipe) return send_news(pipe.get(), news);
  if (errno == ENOENT || errno == ESRCH) return {Code::peer_failed, "the launcher is gone", Died::runtime};
  return util::system_error(("open of the launcher's " + path).c_str());
}

std::unique_ptr<JobControl> make_launcher_control(std::shared_ptr<JobPage> page) {
  return std::make_unique<LauncherControl>(std::move(page));
}

}  // namespace polder::bootstrap::local
