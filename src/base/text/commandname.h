/* The name of the command in a command line: for a Python interpreter its script or module. */
#ifndef KYMO_COMMANDNAME_H
#define KYMO_COMMANDNAME_H

#include <stddef.h>

/* The base name of arguments[0]; for "python -X y path/script.py" "script.py", for "python -m
 * module" "module".  Points into the arguments; NULL without any.  Context: any. */
const char *command_name(const char *const *arguments, size_t count);

#endif
