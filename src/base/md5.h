/* MD5 (RFC 1321), for the hashes in output names; not for security.
 * Context: any. */
#ifndef KYMO_MD5_H
#define KYMO_MD5_H

#include <stddef.h>

#define MD5_TEXT_SIZE 33

/* Digest of the bytes as 32 hexadecimal digits and a NUL. */
void md5_text(const void *bytes, size_t length, char text[MD5_TEXT_SIZE]);

#endif
