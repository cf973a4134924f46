#include "generate.hpp"

#include "common/output_file.hpp"
#include "in_threads.hpp"
#include "part.hpp"
#include "share_writer.hpp"

#include <algorithm>
#include <span>

namespace terasort {
namespace {

constexpr std::uint64_t kBlockBytes = 2u << 20;  // a huge page of the page cache, which is read 4 times as fast

Status write_part(const File& file, Part part, const GenerateOptions& options) {
  ShareWriter writer(file, part.begin * kRecordBytes, part.size() * kRecordBytes, kBlockBytes);
  for (std::uint64_t at = part.begin; at < part.end;) {
    const std::span<std::byte> room = writer.room();
    const std::uint64_t count = std::min(room.size() / kRecordBytes, part.end - at);
    make_records(room.data(), u128{options.start} + at, count, options.format, options.keys);
    Status status = writer.add(count * kRecordBytes);
    if (!status.ok()) return status;
    at += count;
  }
  return writer.finish();
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
