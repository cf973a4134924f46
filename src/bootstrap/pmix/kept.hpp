// What questions to PMIx are made of. PMIx keeps pointers to it until it has answered, and compares with it when other
// answers come; a question that this rank has given up is not over for PMIx. So nothing of it is freed before PMIx is
// finalized: a few names, and 300 bytes for each rank that was asked about.
#pragma once

#include <polder/types.hpp>

#include <pmix.h>

#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace polder::bootstrap::pmix {

// Thread safe. References stay valid as long as this object.
class Kept {
 public:
  const char* key(const std::string& text) {
    std::lock_guard lock(mutex_);
    return keys_.insert(text).first->c_str();
  }

  const pmix_proc_t& process(const pmix_proc_t& process) {
    std::lock_guard lock(mutex_);
    return processes_.emplace(process.rank, process).first->second;
  }

  // How a record is asked for: PMIx gives up after `seconds`; and, behind that, it is to be fetched anew.
  std::array<pmix_info_t, 2>& conditions(int seconds) {
    std::lock_guard lock(mutex_);
    auto [place, is_new] = conditions_.try_emplace(seconds);
    if (is_new) {
      bool yes = true;
      PMIX_INFO_LOAD(&place->second[0], PMIX_TIMEOUT, &seconds, PMIX_INT);
      PMIX_INFO_LOAD(&place->second[1], PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    }
    return place->second;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> keys_;
  std::map<Rank, pmix_proc_t> processes_;  // all of one job
  std::map<int, std::array<pmix_info_t, 2>> conditions_;
};

}  // namespace polder::bootstrap::pmix
