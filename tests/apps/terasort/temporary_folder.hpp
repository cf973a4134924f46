// A folder for the files of one test, and records of a file's bytes.
#pragma once

#include "apps/common/temporary_folder.hpp"
#include "record.hpp"

namespace terasort {

using apps::read_file;
using apps::TemporaryFolder;
using apps::write_file;

// Record `index` of the bytes of a file.
inline std::string record_of(const std::string& bytes, std::size_t index) {
  return bytes.substr(index * kRecordBytes, kRecordBytes);
}

}  // namespace terasort
