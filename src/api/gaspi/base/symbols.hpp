// The interface that this folder implements, seen with the visibility that its symbols need.
//
// Each call is defined as pgaspi_X, and beside it stands one line that makes gaspi_X a weak alias of it, for tools that
// interpose. Nothing in this folder calls a gaspi_X: a tool would see calls that the program never made.
#pragma once

#pragma GCC visibility push(default)
#include <GASPI.h>
#include <GASPI_Ext.h>
#include <GASPI_Lowlevel.h>
#include <GASPI_Threads.h>
#include <PGASPI.h>
#include <PGASPI_Ext.h>
#include <PGASPI_Lowlevel.h>
#include <PGASPI_Threads.h>
#pragma GCC visibility pop

#define POLDER_WEAK_ALIAS(name) [[gnu::weak, gnu::alias("pgaspi_" #name)]] decltype(pgaspi_##name) gaspi_##name
