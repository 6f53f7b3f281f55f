/* The registers of a thread that is stopped by ptrace: one file a kind of processor. */
#ifndef KYMO_REGISTERS_H
#define KYMO_REGISTERS_H

#include <sys/types.h>

#include "platform/unwind.h"

bool registers_read(pid_t thread, struct unwind_registers *out);

#endif
