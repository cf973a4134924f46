// The rows of Paraver's picture, application 1: a task for each rank, a row for each of its threads.
#pragma once

#include "trace/read/job.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace polder::trace::paraver {

class PrvRows {
 public:
  explicit PrvRows(const Job& job);

  std::uint32_t threads(Rank rank) const { return threads_[rank]; }
  // "2(4,4):1:2(2:1,2:2)" of the header, without communicators.
  std::string resources() const;
  // The file that names them.
  std::string row_file() const;

 private:
  std::vector<std::uint32_t> threads_;  // by rank, at least 1
  std::vector<std::size_t> nodes_;      // by rank
  std::vector<std::uint32_t> cores_;    // by node; 0 where not known
  std::vector<std::string> hosts_;
  std::vector<std::vector<std::string>> names_;  // of threads, by rank
};

}  // namespace polder::trace::paraver
