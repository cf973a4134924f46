// The files of report/page, which the build puts into the program.
#pragma once

#include <string_view>

namespace polder::trace {

std::string_view page_frame();    // HTML, with {{style}}, {{program}}, {{title}} and {{data}}
std::string_view page_style();    // CSS
std::string_view page_program();  // JavaScript

}  // namespace polder::trace
