// What Perfetto makes of its file: packets by their times, and the end of a slice ends the one that was begun last.
#include "trace/convert/convert.hpp"

#include "trace_fixture.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

namespace polder::trace {
namespace {

// The fields of a message: the last number, and the last text, of each.
class Fields {
 public:
  explicit Fields(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t tag = varint(bytes);
      const auto field = unsigned(tag >> 3);
      if ((tag & 7) == 0) {
        numbers_[field] = varint(bytes);
      } else {
        const std::size_t length = (tag & 7) == 1 ? 8 : varint(bytes);
        texts_[field] = bytes.substr(0, length);
        each_.push_back(texts_[field]);
        bytes.remove_prefix(length);
      }
    }
  }
  std::uint64_t number(unsigned field) const { return numbers_.contains(field) ? numbers_.at(field) : 0; }
  std::string_view text(unsigned field) const { return texts_.contains(field) ? texts_.at(field) : ""; }
  const std::vector<std::string_view>& texts() const { return each_; }

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = std::uint8_t(bytes.front());
      bytes.remove_prefix(1);
      value |= std::uint64_t(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  std::map<unsigned, std::uint64_t> numbers_;
  std::map<unsigned, std::string_view> texts_;
  std::vector<std::string_view> each_;
};

using Shown = std::tuple<std::string, std::int64_t, std::int64_t, std::size_t>;  // name, begin, end, depth

// In the order in which they begin.
std::vector<Shown> slices_that_perfetto_shows(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<Fields> packets;
  const Fields trace(bytes);
  for (const std::string_view packet : trace.texts()) packets.emplace_back(packet);
  std::ranges::stable_sort(packets, {}, [](const Fields& packet) { return packet.number(8); });
  std::vector<Shown> shown;
  std::map<std::uint64_t, std::vector<std::size_t>> open;  // by track
  for (const Fields& packet : packets) {
    const Fields event(packet.text(11));
    const std::uint64_t type = event.number(9);
    std::vector<std::size_t>& stack = open[event.number(11)];
    if (type == 1) {
      stack.push_back(shown.size());
      shown.emplace_back(event.text(23), packet.number(8), 0, stack.size());
    } else if (type == 2 && !stack.empty()) {
      std::get<2>(shown[stack.back()]) = std::int64_t(packet.number(8));
      stack.pop_back();
    }
  }
  return shown;
}

Event span(EventKind kind, std::int64_t begin_ns, std::int64_t end_ns) {
  return make_event(kind, Phase::span, begin_ns, end_ns, {});
}

using PerfettoTest = TraceTest;

// Calls are recorded when they end, so what lies within comes first.
TEST_F(PerfettoTest, SlicesThatBeginTogetherLieWithinEachOther) {
  for (const Rank rank : {0, 1}) {
    auto recorder = open(options(rank, 2));
    recorder->record(span(EventKind::get, 100, 200));
    recorder->record(span(EventKind::handler, 200, 250));
    recorder->record(span(EventKind::put, 200, 300));
    recorder->record(span(EventKind::fence, 350, 400));
    recorder->record(span(EventKind::region, 200, 400));
    recorder->record(span(EventKind::wait_some, 500, 600));
    recorder->record(span(EventKind::barrier, 500, 600));
    ASSERT_TRUE(recorder->close().ok());
  }
  const std::string path = directory_ + "/out";
  const auto report = convert(directory_, "perfetto", path);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  const std::vector<Shown> of_a_rank = {{"get", 100, 200, 1},      {"region", 200, 400, 1}, {"put", 200, 300, 2},
                                        {"handler", 200, 250, 3},  {"fence", 350, 400, 2},  {"barrier", 500, 600, 1},
                                        {"wait_some", 500, 600, 2}};
  std::vector<Shown> both;
  for (const std::int64_t time : {100, 200, 350, 500})
    for (int rank = 0; rank < 2; ++rank)
      std::ranges::copy_if(of_a_rank, std::back_inserter(both),
                           [&](const Shown& slice) { return std::get<1>(slice) == time; });
  EXPECT_EQ(slices_that_perfetto_shows(path), both);
}

}  // namespace
}  // namespace polder::trace
