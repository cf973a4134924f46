// A program of several measurements: looks up the one that was asked for by name.
#pragma once

#include "common/arguments.hpp"

#include <cstdio>
#include <span>
#include <string_view>

namespace bench {

template <class Context>
struct MenuItem {
  std::string_view name;
  void (*measure)(Context& context, const Arguments& arguments);
  std::string_view help;
};

// Runs the measurement called `arguments.name`. Returns the exit code: 2, after printing the menu, if there is none of
// that name.
template <class Context>
int run_menu(std::span<const MenuItem<Context>> menu, Context& context, const Arguments& arguments) {
  for (const auto& item : menu) {
    if (item.name != arguments.name) continue;
    item.measure(context, arguments);
    return 0;
  }
  std::fprintf(stderr, "no measurement is called %s; there are:\n", arguments.name.c_str());
  for (const auto& item : menu)
    std::fprintf(stderr, "  %-14.*s %.*s\n", int(item.name.size()), item.name.data(), int(item.help.size()),
                 item.help.data());
  return 2;
}

}  // namespace bench
