#include "generate.hpp"

#include "common/output_file.hpp"
#include "in_threads.hpp"
#include "part.hpp"

#include <algorithm>
#include <vector>

namespace terasort {
namespace {

constexpr std::uint64_t kRecordsAtOnce = 10'000;  // 1 MB: stays in the cache between making and writing

Status write_part(const File& file, Part part, const GenerateOptions& options) {
  std::vector<std::byte> block(std::min(kRecordsAtOnce, part.size()) * kRecordBytes);
  for (std::uint64_t at = part.begin; at < part.end; at += kRecordsAtOnce) {
    const std::uint64_t count = std::min(kRecordsAtOnce, part.end - at);
    make_records(block.data(), u128{options.start} + at, count, options.format, options.keys);
    Status status = file.write_at(at * kRecordBytes, std::span(block).first(count * kRecordBytes));
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

Status generate(Team& team, const std::string& path, const GenerateOptions& options) {
  if (options.records > kMostRecords) return {Code::limit, "a file has at most 2^48 records"};
  Result<apps::OutputFile> output = apps::OutputFile::create(crew_of(team), path, options.records * kRecordBytes);
  if (!output.ok()) return std::move(output).status();
  const Part mine = part_of(options.records, team.rank(), team.size());
  Status written = in_threads(mine.size(), options.threads, [&](unsigned, Part part) {
    return write_part(output->file(), {mine.begin + part.begin, mine.begin + part.end}, options);
  });
  return output->commit(crew_of(team), std::move(written), false);
}

}  // namespace terasort
