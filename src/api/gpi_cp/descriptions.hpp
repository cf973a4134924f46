// What stands behind the descriptions of a program. It frees these itself, maybe without gpi_cp_finalize; so a description is a number
// only, and what it stands for lives here until finalize, or until the GASPI ends in which it was made.
#pragma once

#include "api/gpi_cp/saved_range.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace polder::gpi_cp {

class Descriptions {
 public:
  SavedRange* find(std::uint64_t number);  // null: none, any more
  std::uint64_t make(Runtime& rt);         // never 0
  void end(std::uint64_t number);
  void end_all();

 private:
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::unique_ptr<SavedRange>> ranges_;
};

// Of this process; never destroyed. gaspi_proc_term ends all of them.
Descriptions& descriptions();

}  // namespace polder::gpi_cp
