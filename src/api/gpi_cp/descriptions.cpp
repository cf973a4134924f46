#include "api/gpi_cp/descriptions.hpp"

#include <GASPI_Polder.h>

namespace polder::gpi_cp {

SavedRange* Descriptions::find(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = ranges_.find(number);
  return found != ranges_.end() ? found->second.get() : nullptr;
}

std::uint64_t Descriptions::make(Runtime& rt) {
  const std::lock_guard lock(mutex_);
  ranges_.emplace(++last_, std::make_unique<SavedRange>(rt));
  return last_;
}

void Descriptions::end(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  ranges_.erase(number);
}

void Descriptions::end_all() {
  const std::lock_guard lock(mutex_);
  ranges_.clear();
}

Descriptions& descriptions() {
  static Descriptions* const all = [] {
    (void)polder_gaspi_at_term([] { descriptions().end_all(); });  // without it they end with the process
    return new Descriptions;
  }();
  return *all;
}

}  // namespace polder::gpi_cp
