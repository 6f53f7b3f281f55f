/* The end of a recording while threads may still run. */
#ifndef KYMO_QUIESCE_H
#define KYMO_QUIESCE_H

/* The recording ends: no thread writes into its tree from here on, and all are closed.  The
 * session is closed with it.  The lock is held. */
void threads_end(void);

#endif
