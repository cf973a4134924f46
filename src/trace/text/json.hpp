// JSON, written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polder::trace {

// `text` as a JSON string with its quotes. Bytes that are no valid UTF-8 become U+FFFD.
void append_json_string(std::string& to, std::string_view text);

// The same alone: "text", with what JSON wants escaped.
std::string json_text(std::string_view text);

// Members of an object, in the order in which they come.
class JsonObject {
 public:
  // A name is escaped, a value is JSON.
  JsonObject& add(std::string_view name, const std::string& json);
  JsonObject& add(std::string_view name, std::int64_t number);
  JsonObject& add(std::string_view name, double number);  // 0 where it is no number
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

// make(item) is JSON.
template <class Items, class Make>
std::string json_list(const Items& items, Make&& make) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() == 1 ? "" : ",") + make(item);
  return text + "]";
}

// Numbers as they are.
template <class Numbers>
std::string json_numbers(const Numbers& numbers) {
  return json_list(numbers, [](const auto& number) { return std::to_string(number); });
}

}  // namespace polder::trace
