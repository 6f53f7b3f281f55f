/* Files in ELF, by libelf.  Serves late.h. */
#include "platform/late/late.h"

#include <libelf.h>
#include <gelf.h>

static struct late_library library = {
	.file = LATE_ELF, .package = "libelf1", .without = "no names from ELF files"};

LATE_FUNCTION(&library, Elf *, elf_begin, (int fildes, Elf_Cmd cmd, Elf *ref), (fildes, cmd, ref),
	      NULL)

LATE_FUNCTION(&library, int, elf_end, (Elf * elf), (elf), 0)

LATE_FUNCTION(&library, Elf_Data *, elf_getdata, (Elf_Scn * scn, Elf_Data *data), (scn, data), NULL)

LATE_FUNCTION(&library, Elf_Scn *, elf_getscn, (Elf * elf, size_t index), (elf, index), NULL)

LATE_FUNCTION(&library, int, elf_getshdrstrndx, (Elf * elf, size_t *dst), (elf, dst), -1)

LATE_FUNCTION(&library, Elf_Kind, elf_kind, (Elf * elf), (elf), ELF_K_NONE)

LATE_FUNCTION(&library, Elf *, elf_memory, (char *image, size_t size), (image, size), NULL)

LATE_FUNCTION(&library, Elf_Scn *, elf_nextscn, (Elf * elf, Elf_Scn *scn), (elf, scn), NULL)

LATE_FUNCTION(&library, Elf_Data *, elf_rawdata, (Elf_Scn * scn, Elf_Data *data), (scn, data), NULL)

LATE_FUNCTION(&library, char *, elf_strptr, (Elf * elf, size_t index, size_t offset),
	      (elf, index, offset), NULL)

LATE_FUNCTION(&library, unsigned int, elf_version, (unsigned int version), (version), 0)

LATE_FUNCTION(&library, size_t, gelf_fsize,
	      (Elf * elf, Elf_Type type, size_t count, unsigned int version),
	      (elf, type, count, version), 0)

LATE_FUNCTION(&library, GElf_Dyn *, gelf_getdyn, (Elf_Data * data, int ndx, GElf_Dyn *dst),
	      (data, ndx, dst), NULL)

LATE_FUNCTION(&library, GElf_Ehdr *, gelf_getehdr, (Elf * elf, GElf_Ehdr *dest), (elf, dest), NULL)

LATE_FUNCTION(&library, size_t, gelf_getnote,
	      (Elf_Data * data, size_t offset, GElf_Nhdr *result, size_t *name_offset,
	       size_t *desc_offset),
	      (data, offset, result, name_offset, desc_offset), 0)

LATE_FUNCTION(&library, GElf_Rela *, gelf_getrela, (Elf_Data * data, int ndx, GElf_Rela *dst),
	      (data, ndx, dst), NULL)

LATE_FUNCTION(&library, GElf_Shdr *, gelf_getshdr, (Elf_Scn * scn, GElf_Shdr *dst), (scn, dst),
	      NULL)

LATE_FUNCTION(&library, GElf_Sym *, gelf_getsym, (Elf_Data * data, int ndx, GElf_Sym *dst),
	      (data, ndx, dst), NULL)
