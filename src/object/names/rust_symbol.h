/* The v0 scheme of rustc's linkers' names: RFC 2603, with constants and patterns as they were added
 * later.  Names are any bytes: what they claim is checked, depth and length are bounded. */
#ifndef KYMO_RUST_SYMBOL_H
#define KYMO_RUST_SYMBOL_H

/* symbol: what follows "_R"; what compilers put behind it, from a '.' on, stays.  The caller frees;
 * NULL: it is no such name, or no memory. */
char *rust_symbol_name(const char *symbol);

#endif
