#include "trace/convert/paraver_sorter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

namespace polder::trace::paraver {

namespace {

constexpr std::size_t kRunBytes = 32 << 20;
constexpr std::size_t kMergeBytes = 48 << 20;  // for the pieces of all runs
constexpr int kDigitBits = 11;
constexpr std::size_t kMostOfLine = kMostPacked + kMostPackedNumber;

}  // namespace

// A run in the file, read in pieces. The time of a line is kept as what it is later than the line before.
class PrvSorter::Run {
 public:
  Run(const ScratchFile& file, std::uint64_t begin, std::uint64_t end, std::size_t piece)
      : file_(file), next_(begin), end_(end), piece_(std::max(piece, 4 * kMostOfLine)) {}

  // False: there are no more. Else time() is that of the next one.
  bool advance() {
    if (left_ < kMostOfLine && next_ < end_) refill();
    if (left_ == 0) return false;
    std::int64_t later = 0;
    const char* behind = unpack_number(at(), later);
    left_ -= std::size_t(behind - at());
    time_ += later;
    return true;
  }
  std::int64_t time() const { return time_; }
  void take(PrvRecord& record) {
    record.time = time_;
    left_ -= std::size_t(unpack(at(), record) - at());
  }

 private:
  const char* at() const { return buffer_.data() + (buffer_.size() - left_); }
  void refill() {
    buffer_.erase(0, buffer_.size() - left_);
    const std::size_t more = std::min<std::uint64_t>(piece_, end_ - next_);
    buffer_.resize(left_ + more);
    file_.read(next_, buffer_.data() + left_, more);
    next_ += more;
    left_ += more;
  }

  const ScratchFile& file_;
  std::uint64_t next_;
  const std::uint64_t end_;
  const std::size_t piece_;
  std::string buffer_;
  std::size_t left_ = 0;
  std::int64_t time_ = 0;
};

PrvSorter::PrvSorter(std::size_t lines) : limit_(std::max<std::size_t>(lines, 2)) {}

void PrvSorter::push(const PrvRecord& record) {
  lines_.push_back({record.time, bytes_.size()});
  char packed[kMostPacked];
  bytes_.append(packed, pack(packed, record));
  if (lines_.size() >= limit_ || bytes_.size() >= kRunBytes) spill();
}

void PrvSorter::sort_lines() {
  std::int64_t least = INT64_MAX, most = 0;
  for (const Line& line : lines_) least = std::min(least, line.time), most = std::max(most, line.time);
  if (lines_.empty()) return;
  other_.resize(lines_.size());
  const int bits = std::bit_width(std::uint64_t(most) - std::uint64_t(least));
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [&](const Line& line) {
      return std::size_t((std::uint64_t(line.time) - std::uint64_t(least)) >> shift) & ((1 << kDigitBits) - 1);
    };
    std::array<std::size_t, (1 << kDigitBits) + 1> places{};
    for (const Line& line : lines_) ++places[digit(line) + 1];
    for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
    for (const Line& line : lines_) other_[places[digit(line)]++] = line;
    lines_.swap(other_);
  }
}

void PrvSorter::spill() {
  sort_lines();
  std::string piece;
  std::int64_t before = 0;
  PrvRecord record;
  for (const Line& line : lines_) {
    char later[kMostPackedNumber];
    piece.append(later, pack_number(later, line.time - before));
    before = record.time = line.time;
    const char* from = bytes_.data() + line.at;
    piece.append(from, unpack(from, record));
    if (piece.size() < (1 << 18)) continue;
    file_.append(piece.data(), piece.size());
    piece.clear();
  }
  file_.append(piece.data(), piece.size());
  ends_.push_back(file_.bytes());
  lines_.clear();
  bytes_.clear();
}

void PrvSorter::for_each(const std::function<void(const PrvRecord&)>& visit) {
  if (!ends_.empty()) return merge(visit);
  sort_lines();
  PrvRecord record;
  for (const Line& line : lines_) {
    record.time = line.time;
    unpack(bytes_.data() + line.at, record);
    visit(record);
  }
}

void PrvSorter::merge(const std::function<void(const PrvRecord&)>& visit) {
  if (!lines_.empty()) spill();
  lines_ = other_ = {};
  bytes_ = {};
  std::vector<Run> runs;
  for (std::size_t i = 0; i < ends_.size(); ++i)
    runs.emplace_back(file_, i == 0 ? 0 : ends_[i - 1], ends_[i], kMergeBytes / ends_.size());
  struct Front {
    std::int64_t time;
    std::size_t run;
    // The first is at the top of a heap.
    bool operator<(const Front& other) const { return time != other.time ? time > other.time : run > other.run; }
  };
  std::vector<Front> heap;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].advance()) heap.push_back({runs[i].time(), i});
  std::make_heap(heap.begin(), heap.end());
  PrvRecord record;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    Front& first = heap.back();
    do {
      runs[first.run].take(record);
      visit(record);
      if (!runs[first.run].advance()) {
        first.time = -1;
        break;
      }
      first.time = runs[first.run].time();
    } while (heap.size() == 1 || heap.front() < first);
    if (first.time < 0)
      heap.pop_back();
    else
      std::push_heap(heap.begin(), heap.end());
  }
}

}  // namespace polder::trace::paraver
