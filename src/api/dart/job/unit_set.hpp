// What a dart_group_t points to.
#pragma once

#include "api/dart/symbols.hpp"

#include <polder/types.hpp>

#include <vector>

// Global ids, ascending, each once.
struct dart_group_struct {
  std::vector<polder::Rank> members;
};
