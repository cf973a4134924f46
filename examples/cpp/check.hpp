// The simplest way to treat errors: the program ends with the library's own sentence, and the launcher ends the others.
#pragma once

#include <polder/status.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>

inline void check(const polder::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.to_string().c_str());
  std::exit(EXIT_FAILURE);
}

// The value of a call that gives one.
template <class T>
T take(polder::Result<T> result) {
  check(result.status());
  return *std::move(result);
}
