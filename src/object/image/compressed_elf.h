/* ELF files that are compressed, by what they begin with: xz, zstd, gzip.  One header, two answers:
 * by libdw (compressed_elf_dw.c), and without (compressed_elf_none.c). */
#ifndef KYMO_COMPRESSED_ELF_H
#define KYMO_COMPRESSED_ELF_H

#include <libelf.h>

/* NULL = it is none, or cannot be read.  End it with elf_end(), and close fd behind that. */
Elf *compressed_elf_begin(int fd);

#endif
