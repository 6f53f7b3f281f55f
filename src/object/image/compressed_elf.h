/* Compressed ELF files, recognised by their magic numbers: xz, zstd, gzip.  One header, two
 * implementations: by libdw (compressed_elf_dw.c), and without (compressed_elf_none.c). */
#ifndef KYMO_COMPRESSED_ELF_H
#define KYMO_COMPRESSED_ELF_H

#include <libelf.h>

/* NULL = not a compressed ELF file, or unreadable.  End it with elf_end(), and close fd after
 * that. */
Elf *compressed_elf_begin(int fd);

#endif
