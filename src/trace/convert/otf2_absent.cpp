// Where OTF2's library was not there when this was built.
#include "trace/convert/convert.hpp"

namespace polder::trace {

Format otf2_format() {
  return {"otf2", ".otf2", "the Open Trace Format 2; not in this build", [](Job&, const std::string&) {
            return Result<ConvertReport>(Status(
                Code::unsupported, "trace: this build cannot write OTF2; install libotf2-trace-dev and build again"));
          }};
}

}  // namespace polder::trace
