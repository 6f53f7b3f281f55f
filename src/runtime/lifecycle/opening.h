/* Notifying collectors that the runtime has opened.  Context: init. */
#ifndef KYMO_OPENING_H
#define KYMO_OPENING_H

/* The runtime is open: call all listeners. */
void opening_notify(void);

#endif
