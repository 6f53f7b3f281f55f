/* The v0 scheme of rustc's linkers' names: RFC 2603, with constants and patterns as they were added
 * later.  Names may be any bytes: they are checked, depth and length are limited. */
#ifndef KYMO_RUST_SYMBOL_H
#define KYMO_RUST_SYMBOL_H

/* symbol: what follows "_R"; suffixes of compilers, from a '.' on, are kept.  The caller frees;
 * NULL: it is no such name, or no memory. */
char *rust_symbol_name(const char *symbol);

#endif
