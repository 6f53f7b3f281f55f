/* The registers of a thread that is stopped by ptrace: one file a kind of processor. */
#ifndef KYMO_REGISTERS_H
#define KYMO_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "object/unwind/unwind.h"

bool registers_read(pid_t thread, struct unwind_registers *out);
/* Let it go on at another instruction. */
bool registers_set_pc(pid_t thread, uint64_t pc);
/* The stop has ended the system call it waited in with EINTR; and: make that call again. */
bool registers_was_interrupted(pid_t thread, uint32_t *call_out);
bool registers_repeat_call(pid_t thread);
/* It is in a system call, which may begin again. */
bool registers_in_call(pid_t thread);
/* One instruction, with signals held back; its registers then.  False: it is gone, a signal that
 * cannot be held back came, or the program ignores the one that a step is told by. */
bool registers_step(pid_t thread, struct unwind_registers *out);

#endif
