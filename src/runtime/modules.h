/* The modules of the process in its recording, so that readers find the names of addresses.
 * They are written once each, when they are seen first, and only where a collector asks.
 * Context: thread, unless it says otherwise. */
#ifndef KYMO_MODULES_H
#define KYMO_MODULES_H

#include "runtime/runtime.h"

/* Addresses will be recorded: write the modules when the first one is that lies in any.
 * Most processes wait for nothing, and looking for modules is dear.  Context: init. */
KYMO_EXPORT void kymo_modules_watch(void);

/* Write the modules that are not in the recording yet.  Never takes the loader's lock. */
KYMO_EXPORT void kymo_modules_record(void);

/* An address was recorded: when it lies in a module that is not written yet, write that.
 * Does nothing before the first of the above.  True when it looked.  Context: any. */
bool modules_note_address(uint64_t address);

/* Soon nothing can be looked for any more. */
void modules_prepare(void);

/* Another recording has begun, which knows of none. */
void modules_forget(void);

/* In a forked child: the modules of the parent's recording, mapped at base, up to end.
 * The store's lock is held. */
void modules_inherit(const char *base, uint64_t end);

/* The recording is about to be closed: the last chance for what could not be looked for. */
void modules_close(void);

#endif
