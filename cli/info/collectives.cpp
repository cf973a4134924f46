#include "coll/table/table.hpp"
#include "info/sections.hpp"

namespace polder::cli {

std::string collectives_text() {
  return "# kind, algorithm, most bytes, most members: the first row that fits a call is taken. POLDER_COLL_TABLE "
         "names a "
         "file\n# of such rows, which go before these; POLDER_COLL_<KIND>=<algorithm> goes before all.\n" +
         coll::Table::of_environment().print();
}

}  // namespace polder::cli
