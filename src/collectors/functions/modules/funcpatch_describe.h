/* Writes instrumented modules into the recording: chunks FUNCTIONS.  Context: thread. */
#ifndef KYMO_FUNCPATCH_DESCRIBE_H
#define KYMO_FUNCPATCH_DESCRIBE_H

/* Write the FUNCTIONS of all modules that have none yet, and once the cost of recording. */
void funcpatch_modules_describe(void);

#endif
