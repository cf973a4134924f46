#include "core/post/ledger.hpp"

namespace polder::core {

Ledger::Ledger(Outside& with, Progress& by) : outside(with), progress(by), segments_(kSegmentIdLimit) {}
Ledger::~Ledger() = default;

}  // namespace polder::core
