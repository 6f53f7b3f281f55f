/* Programs that this process ran before it called exec(). */
#ifndef KYMO_REPLACED_H
#define KYMO_REPLACED_H

#include <stdbool.h>

/* Mark the recordings in the run directory that such a program left open as abandoned.  True if
 * one of them made the run: then this program finishes it.  Context: init. */
bool replaced_take_over(void);

#endif
