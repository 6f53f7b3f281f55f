/* What the recording is told of instrumented modules: chunks FUNCTIONS.  Context: thread. */
#ifndef KYMO_FUNCPATCH_TELL_H
#define KYMO_FUNCPATCH_TELL_H

/* Write the FUNCTIONS of all that are not told yet, and once what recording costs. */
void funcpatch_modules_tell(void);

#endif
