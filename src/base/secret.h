/* Masks what looks like a secret: values of variables with such names, and passwords within
 * values.  Context: any. */
#ifndef KYMO_SECRET_H
#define KYMO_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#define SECRET_MASK "***"

/* TOKEN, PASSWORD, API_KEY, AWS_SECRET_ACCESS_KEY, …: case-insensitive. */
bool secret_is_name(const char *name, size_t length);

/* The recorded value of an environment variable: "***" for a secret's name, else secret_mask(). */
size_t secret_mask_variable(const char *name, const char *value, char *out, size_t size);

/* Likewise for argv[index] of a command line, argv[0] is the program: "***" for the value of an
 * option that is named like a secret, "-u name:***", "-p***", and the other password options of
 * well-known programs; else secret_mask(). */
size_t secret_mask_argument(const char *const *argv, size_t index, char *out, size_t size);

/* Copy text with "***" in place of the passwords in it: of URLs ("https://user:password@host"),
 * of "name=value" and "--name value" if the name is that of a secret, of "Bearer …".  Writes at
 * most size bytes with the NUL; returns the full length. */
size_t secret_mask(const char *text, char *out, size_t size);

#endif
