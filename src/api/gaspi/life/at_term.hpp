// What others that stand on the runtime have to do before it ends (GASPI_Polder.h).
#pragma once

namespace polder::gaspi {

bool call_at_term(void (*end)());
// In gaspi_proc_term.
void end_dependents();

}  // namespace polder::gaspi
