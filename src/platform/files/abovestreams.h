/* Descriptors above the standard streams: a program may be started without these, and files that
 * are opened then would get their numbers. */
#ifndef KYMO_ABOVESTREAMS_H
#define KYMO_ABOVESTREAMS_H

/* The descriptor, or what it was moved to, closed on exec, where it had the number of a standard
 * stream.  Takes it: -1 with errno where it cannot be moved, and for -1. */
int abovestreams(int descriptor);

#endif
