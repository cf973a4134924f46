/* For C++ programs, and libraries, that use Polder's own interface beside GASPI. */
#ifndef GASPI_POLDER_H
#define GASPI_POLDER_H

#ifdef __cplusplus

namespace polder {
class Runtime;
}

/* What GASPI of this process stands on; null outside of gaspi_proc_init and gaspi_proc_term. It belongs to GASPI: its groups, segments
 * and queues are among the runtime's, and are not to be ended there. Costs a load. */
extern "C" polder::Runtime* polder_gaspi_runtime(void);

/* `end` is called by each gaspi_proc_term, in its thread, before the runtime ends: for what stands on the runtime and must not
 * outlive it. Of a library, once for the process; each that is given is called, in the order given. At most 8: false. Any thread. */
extern "C" bool polder_gaspi_at_term(void (*end)(void));

#endif

#endif
