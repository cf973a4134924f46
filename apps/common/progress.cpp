#include "common/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace apps {
namespace {

constexpr int kWidth = 40;
constexpr std::chrono::milliseconds kBetween{100};

}  // namespace

Progress::Progress(bool wanted) : shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::begin(std::string phase, std::uint64_t total) {
  phase_ = std::move(phase);
  total_ = std::max<std::uint64_t>(total, 1);
  next_draw_ = {};
  at(0);
}

void Progress::draw(std::uint64_t done) {
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kBetween;
  const double share = std::min(1.0, double(done) / double(total_));
  const int filled = int(share * kWidth);
  const std::string bar = std::string(std::size_t(filled), '=') + std::string(std::size_t(kWidth - filled), ' ');
  std::fprintf(stderr, "\r%-8s [%s] %3d %%", phase_.c_str(), bar.c_str(), int(share * 100));
  std::fflush(stderr);
  dirty_ = true;
}

void Progress::clear() {
  if (!dirty_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  dirty_ = false;
}

}  // namespace apps
