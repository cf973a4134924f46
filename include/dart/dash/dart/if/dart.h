/* DART over Polder: the interface below DASH, of teams, global memory and one-sided access to it.
 *
 * What is declared here stands in for the DART library that a program was compiled for: types, constants and names are those
 * of dart-if 3.2.0. The reference page of DART (docs/reference/dart.md) says what each call does here. Every call is collective
 * only where its header says so; wrong arguments are refused with DART_ERR_INVAL, told on the standard error, and change
 * nothing; a peer or a network that fails ends the job.
 */
#ifndef DART__DART_H_
#define DART__DART_H_

#include "dart_types.h"

#include "dart_config.h"
#include "dart_initialization.h"
#include "dart_team_group.h"

#include "dart_globmem.h"

#include "dart_communication.h"
#include "dart_synchronization.h"

#define DART_VERSION_STR "3.2.0"
#define DART_BUILD_STR (__DATE__ " " __TIME__)

#endif
