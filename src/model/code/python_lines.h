/* The line of an instruction in CPython's line tables: co_lnotab to 3.9, co_linetable of 3.10
 * (PEP 626) and of 3.11 and later (Objects/locations.md).  The bytes may be hostile. */
#ifndef KYMO_PYTHON_LINES_H
#define KYMO_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/* version: major << 8 | minor; offset in bytes.  Returns 0 if the instruction has no line or does
 * not exist.  To 3.9 tables do not contain the code's end: offsets beyond it get the line of the
 * last instruction. */
uint32_t python_line(uint16_t version, const unsigned char *table, size_t size, uint32_t first_line,
		     uint32_t offset);

#endif
