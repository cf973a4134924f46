#include "trace/report/page.hpp"

#include "trace/report/page_files.hpp"

namespace polder::trace {

namespace {

// Text between tags.
std::string text_of(std::string_view text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      default: safe += c;
    }
  return safe;
}

// JSON within a script element ends with the first "</script>", whose '<' may also be written otherwise.
std::string script_text(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

// Each {{place}} of the frame is looked up once: what is put in is not looked through again.
template <class LookUp>
std::string filled(std::string_view frame, LookUp&& look_up) {
  std::string page;
  for (std::size_t open = 0; (open = frame.find("{{")) != std::string_view::npos;) {
    const std::size_t close = frame.find("}}", open);
    page += frame.substr(0, open);
    page += look_up(frame.substr(open + 2, close - open - 2));
    frame.remove_prefix(close + 2);
  }
  return page.append(frame);
}

}  // namespace

std::string page_html(const Analysis& analysis, std::string_view title) {
  return filled(page_frame(), [&](std::string_view place) {
    if (place == "style") return std::string(page_style());
    if (place == "program") return std::string(page_program());
    return place == "title" ? text_of(title) : script_text(page_data(analysis));
  });
}

}  // namespace polder::trace
