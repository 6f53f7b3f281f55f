/* The modules of the process in its recording, so that readers can resolve addresses.  Each is
 * written once, when it is first seen, and only if a collector requests it.  Context: thread,
 * unless stated otherwise. */
#ifndef KYMO_MODULES_H
#define KYMO_MODULES_H

#include "runtime/runtime.h"

/* Addresses will be recorded: write the modules at the first one that is in any.  Most processes
 * record no wait, and scanning for modules is expensive.  Context: init. */
KYMO_EXPORT void kymo_modules_watch(void);

/* Write the modules that are not in the recording yet.  Never takes the loader's lock. */
KYMO_EXPORT void kymo_modules_record(void);

/* An address was recorded: if it is in a module that is not written yet, write that.  Does
 * nothing before the first of the above.  True if it scanned.  Context: any. */
bool modules_note_address(uint64_t address);

/* Scans will soon be impossible. */
void modules_prepare(void);

/* Another recording has begun, which has none. */
void modules_forget(void);

/* In a forked child: the modules of the parent's recording, mapped at base, up to end.  The
 * store's lock is held. */
void modules_inherit(const char *base, uint64_t end);

/* The recording is about to be closed: the last chance for a scan that was not possible before. */
void modules_close(void);

#endif
