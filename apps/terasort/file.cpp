#include "file.hpp"

#include "record.hpp"

#include <string>

namespace terasort {

Result<std::uint64_t> record_count(const File& file) {
  const Result<std::uint64_t> bytes = file.size();
  if (!bytes.ok()) return bytes.status();
  if (*bytes % kRecordBytes != 0) {
    return Status(Code::invalid_size, "'" + file.path() + "' has " + std::to_string(*bytes) +
                                          " bytes, which is not a multiple of the record size of 100: " +
                                          std::to_string(*bytes % kRecordBytes) + " bytes are left over");
  }
  if (*bytes / kRecordBytes > kMostRecords)
    return Status(Code::limit, "'" + file.path() + "' has more than 2^48 records");
  return *bytes / kRecordBytes;
}

}  // namespace terasort
