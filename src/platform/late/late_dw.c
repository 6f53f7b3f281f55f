/* Debug information, by libdw.  Serves late.h. */
#include "platform/late/late.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>

static struct late_library library = {.file = LATE_DW,
				      .package = "libdw1",
				      .without =
					      "no lines and no inlined functions of native code"};

LATE_FUNCTION(&library, int, dwarf_aggregate_size, (Dwarf_Die * die, Dwarf_Word *size), (die, size),
	      -1)

LATE_FUNCTION(&library, Dwarf_Attribute *, dwarf_attr,
	      (Dwarf_Die * die, unsigned int search_name, Dwarf_Attribute *result),
	      (die, search_name, result), NULL)

LATE_FUNCTION(&library, Dwarf_Attribute *, dwarf_attr_integrate,
	      (Dwarf_Die * die, unsigned int search_name, Dwarf_Attribute *result),
	      (die, search_name, result), NULL)

LATE_FUNCTION(&library, Elf *, dwelf_elf_begin, (int fd), (fd), NULL)
LATE_FUNCTION(&library, Dwarf *, dwarf_begin_elf, (Elf * elf, Dwarf_Cmd cmd, Elf_Scn *scngrp),
	      (elf, cmd, scngrp), NULL)

LATE_FUNCTION(&library, int, dwarf_child, (Dwarf_Die * die, Dwarf_Die *result), (die, result), -1)

LATE_FUNCTION(&library, int, dwarf_decl_line, (Dwarf_Die * decl, int *linep), (decl, linep), -1)

LATE_FUNCTION(&library, const char *, dwarf_diename, (Dwarf_Die * die), (die), NULL)

LATE_FUNCTION(&library, Dwarf_Off, dwarf_dieoffset, (Dwarf_Die * die), (die), 0)

LATE_FUNCTION(&library, int, dwarf_end, (Dwarf * dwarf), (dwarf), 0)

LATE_FUNCTION(&library, int, dwarf_entrypc, (Dwarf_Die * die, Dwarf_Addr *return_addr),
	      (die, return_addr), -1)

LATE_FUNCTION(&library, const char *, dwarf_filesrc,
	      (Dwarf_Files * file, size_t idx, Dwarf_Word *mtime, Dwarf_Word *length),
	      (file, idx, mtime, length), NULL)

LATE_FUNCTION(&library, int, dwarf_formflag, (Dwarf_Attribute * attr, _Bool *return_bool),
	      (attr, return_bool), -1)

LATE_FUNCTION(&library, Dwarf_Die *, dwarf_formref_die,
	      (Dwarf_Attribute * attr, Dwarf_Die *die_mem), (attr, die_mem), NULL)

LATE_FUNCTION(&library, int, dwarf_formsdata, (Dwarf_Attribute * attr, Dwarf_Sword *return_uval),
	      (attr, return_uval), -1)

LATE_FUNCTION(&library, const char *, dwarf_formstring, (Dwarf_Attribute * attrp), (attrp), NULL)

LATE_FUNCTION(&library, int, dwarf_formudata, (Dwarf_Attribute * attr, Dwarf_Word *return_uval),
	      (attr, return_uval), -1)

LATE_FUNCTION(&library, int, dwarf_get_units,
	      (Dwarf * dwarf, Dwarf_CU *cu, Dwarf_CU **next_cu, Dwarf_Half *version,
	       uint8_t *unit_type, Dwarf_Die *cudie, Dwarf_Die *subdie),
	      (dwarf, cu, next_cu, version, unit_type, cudie, subdie), -1)

LATE_FUNCTION(&library, ptrdiff_t, dwarf_getfuncs,
	      (Dwarf_Die * cudie, int (*callback)(Dwarf_Die *, void *), void *arg,
	       ptrdiff_t offset),
	      (cudie, callback, arg, offset), -1)

LATE_FUNCTION(&library, int, dwarf_getlocation,
	      (Dwarf_Attribute * attr, Dwarf_Op **expr, size_t *exprlen), (attr, expr, exprlen), -1)

LATE_FUNCTION(&library, ptrdiff_t, dwarf_getlocations,
	      (Dwarf_Attribute * attr, ptrdiff_t offset, Dwarf_Addr *basep, Dwarf_Addr *startp,
	       Dwarf_Addr *endp, Dwarf_Op **expr, size_t *exprlen),
	      (attr, offset, basep, startp, endp, expr, exprlen), -1)

LATE_FUNCTION(&library, int, dwarf_getsrcfiles,
	      (Dwarf_Die * cudie, Dwarf_Files **files, size_t *nfiles), (cudie, files, nfiles), -1)

LATE_FUNCTION(&library, int, dwarf_getsrclines,
	      (Dwarf_Die * cudie, Dwarf_Lines **lines, size_t *nlines), (cudie, lines, nlines), -1)

LATE_FUNCTION(&library, int, dwarf_hasattr, (Dwarf_Die * die, unsigned int search_name),
	      (die, search_name), 0)

LATE_FUNCTION(&library, int, dwarf_hasattr_integrate, (Dwarf_Die * die, unsigned int search_name),
	      (die, search_name), 0)

LATE_FUNCTION(&library, int, dwarf_lineaddr, (Dwarf_Line * line, Dwarf_Addr *addrp), (line, addrp),
	      -1)

LATE_FUNCTION(&library, int, dwarf_lineendsequence, (Dwarf_Line * line, _Bool *flagp),
	      (line, flagp), -1)

LATE_FUNCTION(&library, int, dwarf_lineno, (Dwarf_Line * line, int *linep), (line, linep), -1)

LATE_FUNCTION(&library, const char *, dwarf_linesrc,
	      (Dwarf_Line * line, Dwarf_Word *mtime, Dwarf_Word *length), (line, mtime, length),
	      NULL)

LATE_FUNCTION(&library, Dwarf_Line *, dwarf_onesrcline, (Dwarf_Lines * lines, size_t idx),
	      (lines, idx), NULL)

LATE_FUNCTION(&library, int, dwarf_peel_type, (Dwarf_Die * die, Dwarf_Die *result), (die, result),
	      -1)

LATE_FUNCTION(&library, ptrdiff_t, dwarf_ranges,
	      (Dwarf_Die * die, ptrdiff_t offset, Dwarf_Addr *basep, Dwarf_Addr *startp,
	       Dwarf_Addr *endp),
	      (die, offset, basep, startp, endp), -1)

LATE_FUNCTION(&library, int, dwarf_siblingof, (Dwarf_Die * die, Dwarf_Die *result), (die, result),
	      -1)

LATE_FUNCTION(&library, int, dwarf_srclang, (Dwarf_Die * die), (die), -1)

LATE_FUNCTION(&library, int, dwarf_tag, (Dwarf_Die * die), (die), -1)
