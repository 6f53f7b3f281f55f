/* Descriptors above the standard streams: a program may be started without these, and files
 * opened then would get their numbers. */
#ifndef KYMO_ABOVESTREAMS_H
#define KYMO_ABOVESTREAMS_H

/* Returns the descriptor, or a close-on-exec duplicate if it has the number of a standard
 * stream.  Takes ownership: -1 with errno if it cannot be moved, and for -1. */
int abovestreams(int descriptor);

#endif
