/* The result of an operation, and the one-line reason.  The function that first detects the cause
 * writes the line; callers only pass it on. */
#ifndef KYMO_STATUS_H
#define KYMO_STATUS_H

#include <stdbool.h>

/* name, value, exit status of a command that ends with it, text */
#define KYMO_STATUS_MAP(X)                                                                         \
	X(OK, 0, 0, "ok")                                                                          \
	X(ERROR, -1, 1, "failed")                                                                  \
	X(USAGE, -2, 2, "wrong use")                                                               \
	X(SYSTEM, -3, 1, "system call failed")                                                     \
	X(FORMAT, -4, 1, "malformed data")                                                         \
	X(MEMORY, -5, 1, "out of memory")                                                          \
	X(UNAVAILABLE, -6, 1, "not available here")                                                \
	X(LIMIT, -7, 1, "larger than allowed")

enum kymo_status {
#define KYMO_STATUS_VALUE(name, value, code, text) KYMO_##name = (value),
	KYMO_STATUS_MAP(KYMO_STATUS_VALUE)
#undef KYMO_STATUS_VALUE
};

/* One line without newline: what, where, what to do. */
struct problem {
	char text[480];
};

/* Write the line (problem may be NULL) and return status.  Context: any but signal. */
enum kymo_status problem_set(struct problem *problem, enum kymo_status status, const char *format,
			     ...) __attribute__((format(printf, 3, 4)));

int status_exit_code(enum kymo_status status);
const char *status_text(enum kymo_status status);

#endif
