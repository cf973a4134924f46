#include "validate.hpp"

#include "crc32.hpp"
#include "in_threads.hpp"

#include <algorithm>
#include <vector>

namespace terasort {
namespace {

constexpr std::uint64_t kRecordsAtOnce = 10'000;

// One thread's part, with its ends, so that neighbours can be compared.
class PartSummary {
 public:
  void add(const std::byte* record, std::uint64_t number) {
    const PlacedKey key = PlacedKey::of(record, number);
    if (summary_.records == 0)
      first_ = key;
    else
      compare(last_, key);
    last_ = key;
    ++summary_.records;
    summary_.checksum += crc32(record, kRecordBytes);
  }

  void append(const PartSummary& next) {
    if (next.summary_.records == 0) return;
    if (summary_.records == 0)
      first_ = next.first_;
    else
      compare(last_, next.first_);
    if (summary_.unordered == 0) summary_.first_unordered = next.summary_.first_unordered;
    last_ = next.last_;
    summary_.records += next.summary_.records;
    summary_.duplicates += next.summary_.duplicates;
    summary_.unordered += next.summary_.unordered;
    summary_.checksum += next.summary_.checksum;
  }

  const Summary& summary() const { return summary_; }

 private:
  void compare(const PlacedKey& before, const PlacedKey& after) {
    // The position, which grows, breaks ties, so equal keys are in order.
    if (before.same_key(after))
      ++summary_.duplicates;
    else if (after < before && summary_.unordered++ == 0)
      summary_.first_unordered = after.position();
  }

  Summary summary_;
  PlacedKey first_;
  PlacedKey last_;
};

Status read_part(const File& file, Part part, PartSummary& into) {
  std::vector<std::byte> block(std::min(kRecordsAtOnce, part.size()) * kRecordBytes);
  for (std::uint64_t at = part.begin; at < part.end; at += kRecordsAtOnce) {
    const std::uint64_t count = std::min(kRecordsAtOnce, part.end - at);
    Status status = file.read_at(at * kRecordBytes, std::span(block).first(count * kRecordBytes));
    if (!status.ok()) return status;
    for (std::uint64_t i = 0; i < count; ++i) into.add(block.data() + i * kRecordBytes, at + i);
  }
  return {};
}

}  // namespace

Result<Summary> summarize(const std::string& path, unsigned threads) {
  const Result<File> file = File::open(path);
  if (!file.ok()) return file.status();
  const Result<std::uint64_t> records = record_count(*file);
  if (!records.ok()) return records.status();
  file->read_in_order();
  std::vector<PartSummary> parts(std::max(threads, 1u));
  Status status =
      in_threads(*records, threads, [&](unsigned index, Part part) { return read_part(*file, part, parts[index]); });
  if (!status.ok()) return status;
  PartSummary whole;
  for (const PartSummary& part : parts) whole.append(part);
  return whole.summary();
}

std::string to_hex(u128 number) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[unsigned(number) & 15]);
  while ((number >>= 4) != 0);
  return digits;
}

}  // namespace terasort
