/* libdw reads the formats it was built with. */
#include "object/image/compressed_elf.h"

#include <elfutils/libdwelf.h>

Elf *compressed_elf_begin(int fd)
{
	return dwelf_elf_begin(fd);
}
