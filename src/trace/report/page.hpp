// An analysis as one page for a browser, which needs no network and nothing beside itself.
#pragma once

#include "trace/analyse/findings.hpp"

#include <string>
#include <string_view>

namespace polder::trace {

// `title`: what the page calls the run. Below 5 MB, however long the run was and however many ranks it had: of calls,
// waits and ranks the page shows single ones where these matter most, and sums otherwise.
std::string page_html(const Analysis& analysis, std::string_view title);

// The numbers of the page, as its program reads them.
std::string page_data(const Analysis& analysis);

}  // namespace polder::trace
