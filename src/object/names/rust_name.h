/* Source names of functions that rustc compiled.
 *
 * Both of its schemes: "_RNvC4demo4main" (v0, RFC 2603 and its additions) and
 * "_ZN4demo4main17h0123456789abcdefE" (legacy), without hashes and other details that only the
 * linker needs.  C++'s demangler handles neither correctly.  No state; any thread. */
#ifndef KYMO_RUST_NAME_H
#define KYMO_RUST_NAME_H

/* "demo::main", "<demo::Wheel as core::fmt::Debug>::fmt"; the caller frees.  NULL: not such a name,
 * or no memory. */
char *rust_name(const char *linker_name);

#endif
