// Which values of which event types a trace uses, and what they are called: Paraver's .pcf.
#pragma once

#include "trace/read/job.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace polder::trace::paraver {

class Labels {
 public:
  // The value by which a name stands in the events of `type`: at least 1, the same for the same name.
  std::int64_t value_of(int type, const std::string& name);
  // A number that is its own value, such as a queue's.
  void use(int type, std::int64_t value) {
    if (used_[type].size() < kMostUsed) used_[type].insert(value);
  }
  // The event type of a user's counter.
  int counter_type(const std::string& name);

  std::string pcf_file(Rank ranks) const;

 private:
  static constexpr std::size_t kMostUsed = 65536;
  struct Values {
    std::map<std::string, std::int64_t> numbers;
  };
  std::map<int, Values> types_;
  std::map<int, std::set<std::int64_t>> used_;
  std::map<std::string, int> counters_;
};

}  // namespace polder::trace::paraver
