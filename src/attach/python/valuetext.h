/* Values of Python objects as text, without running code in the program: numbers, texts, bytes and
 * the built-in containers as repr() has them, the rest by type and address.
 *
 * Bounded in length, depth and reads for any objects.  Values that look like a secret, or whose
 * name does, are masked.  Control characters are escaped.  One thread. */
#ifndef KYMO_VALUETEXT_H
#define KYMO_VALUETEXT_H

#include "pystack/pyobject.h"

#define VALUETEXT_SIZE 320u

/* The value of the object with that name (NULL = none).  text has VALUETEXT_SIZE. */
void valuetext(const struct pyobjects *objects, uint64_t object, const char *name, char *text);
/* Sanitise a name of the program for display: anything but letters, digits and "_." becomes "?". */
void valuetext_clean_name(char *name);

#endif
