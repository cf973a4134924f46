#include "live/screen.hpp"

#include "live/words.hpp"
#include "util/clock.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace polder::cli {
namespace {

constexpr std::int64_t kAgain_ns = 10'000'000'000;  // the same is said again after so long
constexpr std::size_t kSentences = 12;
constexpr std::size_t kLargestTable = 40;

// Without how long, which differs each time.
std::vector<std::string> essence(const Snapshot& snapshot) {
  std::vector<std::string> result;
  for (const RankView& view : snapshot.ranks) result.push_back(doing(view));
  return result;
}

}  // namespace

Screen::Screen(int file, std::string prefix)
    : begun_ns_(util::now_ns()), file_(file), prefix_(std::move(prefix)), terminal_(isatty(file) == 1) {}

void Screen::show(const Snapshot& snapshot) {
  if (!has_room()) return;
  terminal_ ? redraw(snapshot) : append(snapshot);
}

void Screen::clear() {
  if (drawn_ == 0 || !has_room()) return;
  write_all(fmt::format("\x1b[{}F\x1b[J", drawn_));  // up to the first column of the first line, and erase downwards
  drawn_ = 0;
}

void Screen::redraw(const Snapshot& snapshot) {
  winsize size{};
  const bool known = ioctl(file_, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 && size.ws_row > 4;
  const std::size_t width = known ? size.ws_col : 80, height = known ? size.ws_row - 2u : 22;
  std::string text = drawn_ == 0 ? "" : fmt::format("\x1b[{}F\x1b[J", drawn_);
  drawn_ = 0;
  for (const std::string& line : table(snapshot, width, std::min(height, kLargestTable))) {
    text += line + "\n";
    ++drawn_;
  }
  write_all(text);
}

void Screen::append(const Snapshot& snapshot) {
  std::vector<std::string> now = essence(snapshot);
  if (now == said_ && snapshot.at_ns - said_at_ns_ < kAgain_ns) return;
  said_ = std::move(now);
  said_at_ns_ = snapshot.at_ns;
  const double seconds = double(snapshot.at_ns - begun_ns_) * 1e-9;
  std::string text;
  for (const std::string& sentence : sentences(snapshot, kSentences))
    text += fmt::format("{}{:.1f} s: {}\n", prefix_, seconds, sentence);
  write_all(text);
}

// A terminal that was stopped, or a reader who sleeps, must not keep the launcher from its duties.
bool Screen::has_room() const {
  pollfd room{.fd = file_, .events = POLLOUT, .revents = 0};
  return poll(&room, 1, 0) != 0;
}

void Screen::write_all(const std::string& text) const {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;  // nobody looks
    done += std::size_t(count);
  }
}

}  // namespace polder::cli
