// What the applications add to CLI11: choices and ranges that help and errors print as people write them, and one exit code
// for every wrong command line.
#pragma once

#include "sound_numbers.hpp"

#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace apps {

inline constexpr int kWrongCommandLine = 2;

// Nothing: go on. Otherwise help or what is wrong was printed, and this is what the program ends with.
inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  demand_sound_numbers(app);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongCommandLine;
  }
}

// An option whose value is one of these words; `value` is a T, or may be none.
template <class Value, class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value, const std::map<std::string, T>& choices,
                        const std::string& description) {
  std::set<std::string> words;
  for (const auto& [word, meaning] : choices) words.insert(word);
  const auto choose = [&value, choices](const std::string& word) { value = choices.at(word); };
  return app.add_option_function<std::string>(name, choose, description)->check(CLI::IsMember(words));
}

// A number from `low` to `high`; CLI::Range prints 1e-11 as 0.000000.
template <class T>
CLI::Validator between(T low, T high) {
  static_assert(std::is_arithmetic_v<T>);
  std::ostringstream range;
  range << "[" << low << " .. " << high << "]";
  const auto check = [low, high, text = range.str()](std::string& word) {
    T number{};
    if (CLI::detail::lexical_cast(word, number) && number >= low && number <= high) return std::string();
    return "'" + word + "' is not a number in " + text;
  };
  return CLI::Validator(check, "in " + range.str());
}

}  // namespace apps
