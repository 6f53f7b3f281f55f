/* Mismatched ends of users' regions: thread records count them, a note names the first of each
 * kind. */
#ifndef KYMO_USERNOTES_H
#define KYMO_USERNOTES_H

#include <stdint.h>

#include "runtime/user/userstack.h"

/* usernotes.c: the note of the first misuse of each sort. */
enum user_misuse { MISUSE_NOT_OPEN, MISUSE_REORDERED, MISUSE_NEVER_ENDED, MISUSE_COUNT };
/* Written by user_misuse_note(); the lock is held, or is not. */
void user_misuse_note(enum user_misuse misuse, uint32_t region);
void user_misuse_note_locked(enum user_misuse misuse, uint32_t region);

#endif
