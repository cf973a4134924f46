#include "trace/convert/paraver_record.hpp"

#include "trace/convert/paraver_names.hpp"

#include <charconv>

namespace polder::trace::paraver {

namespace {

using What = PrvRecord::What;

// What number `i` is kept as a difference to.
std::int64_t near(const PrvRecord& record, int i) {
  switch (record.what) {
    case What::state: return i == 0 ? record.time : 0;
    case What::event: return i % 2 == 0 ? kGaspiCall : 0;
    case What::communication: return i == 0 || i == 1 || i == 4 || i == 5 ? record.time : 0;
  }
  return 0;
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return std::int64_t(std::uint64_t(a) + std::uint64_t(b));
}

class Line {
 public:
  explicit Line(What what) {
    for (const char c : std::string_view(what == What::state ? "1:0:1" : what == What::event ? "2:0:1" : "3:0:1"))
      *end_++ = c;
  }
  void add(std::int64_t number) {
    *end_++ = ':';
    end_ = std::to_chars(end_, text_ + sizeof text_, number).ptr;
  }
  std::string_view finish() {
    *end_++ = '\n';
    return {text_, std::size_t(end_ - text_)};
  }

 private:
  char text_[(PrvRecord::kMostNumbers + 6) * 21];
  char* end_ = text_;
};

}  // namespace

void append_line(std::string& text, const PrvRecord& record) {
  Line line(record.what);
  line.add(std::int64_t(record.rank) + 1);
  line.add(record.thread + 1);
  if (record.what != What::communication) line.add(record.time);
  for (int i = 0; i < record.count; ++i) {
    if (record.what == What::communication && i == 2) {
      line.add(0);
      line.add(1);
    }
    line.add(record.numbers[i]);
  }
  text += line.finish();
}

char* pack_number(char* bytes, std::int64_t number) {
  std::uint64_t rest = (std::uint64_t(number) << 1) ^ std::uint64_t(number >> 63);
  for (; rest >= 0x80; rest >>= 7) *bytes++ = char(rest | 0x80);
  *bytes++ = char(rest);
  return bytes;
}

const char* unpack_number(const char* bytes, std::int64_t& number) {
  std::uint64_t all = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = std::uint8_t(*bytes++);
    all |= std::uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  number = std::int64_t((all >> 1) ^ (~(all & 1) + 1));
  return bytes;
}

char* pack(char* bytes, const PrvRecord& record) {
  *bytes++ = char(std::uint8_t(record.what) << 4 | record.count);
  bytes = pack_number(bytes, record.rank);
  bytes = pack_number(bytes, record.thread);
  for (int i = 0; i < record.count; ++i)
    bytes = pack_number(bytes, std::int64_t(std::uint64_t(record.numbers[i]) - std::uint64_t(near(record, i))));
  return bytes;
}

const char* unpack(const char* bytes, PrvRecord& record) {
  const auto first = std::uint8_t(*bytes++);
  record.what = What(first >> 4);
  record.count = first & 0xf;
  std::int64_t rank = 0, thread = 0;
  bytes = unpack_number(bytes, rank);
  bytes = unpack_number(bytes, thread);
  record.rank = Rank(rank);
  record.thread = std::uint16_t(thread);
  for (int i = 0; i < record.count; ++i) {
    bytes = unpack_number(bytes, record.numbers[i]);
    record.numbers[i] = plus(record.numbers[i], near(record, i));
  }
  return bytes;
}

}  // namespace polder::trace::paraver
