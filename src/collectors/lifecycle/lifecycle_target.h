/* The program that is about to run: whether it can be recorded, and the note if it cannot. errno
 * is kept.  Context: any. */
#ifndef KYMO_LIFECYCLE_TARGET_H
#define KYMO_LIFECYCLE_TARGET_H

#include <stdbool.h>

#include "platform/files/exec_check.h"

/* Add what prevents recording a program, apart from its file, which was inspected. */
void lifecycle_target_consider(struct exec_facts *facts);
/* False if the library would do harm, or if the program must not make system calls. */
bool lifecycle_target_can_join(const struct exec_facts *facts);
/* Note that a program is not recorded and why, once per program.  In a child that shares its
 * parent's memory the note is kept for lifecycle_target_flush().  Context: any. */
void lifecycle_target_note(const char *path, const struct exec_facts *facts);
void lifecycle_target_flush(void);

#endif
