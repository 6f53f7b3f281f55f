/* Mismatched ends of users' regions: thread records count them, a note names the first of each
 * kind. */
#ifndef KYMO_USERNOTES_H
#define KYMO_USERNOTES_H

#include <stdint.h>

#include "runtime/user/userstack.h"

/* The note of the first misuse of each kind. */
enum user_misuse { MISUSE_NOT_OPEN, MISUSE_REORDERED, MISUSE_NEVER_ENDED, MISUSE_COUNT };
/* The lock may be held or not. */
void user_misuse_note(enum user_misuse misuse, uint32_t region);
void user_misuse_note_locked(enum user_misuse misuse, uint32_t region);

#endif
