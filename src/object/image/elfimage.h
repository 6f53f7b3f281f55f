/* An ELF file of another process: symbols by name, sections, build id, unwind tables.
 *
 * The bytes may be hostile: every read is checked.  Uses malloc and mmap. */
#ifndef KYMO_ELFIMAGE_H
#define KYMO_ELFIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELFIMAGE_BUILD_ID_MAX 64u /* bytes */

struct elfimage {
	const unsigned char *data;
	size_t size;
	bool is_mapped; /* else from malloc */
	uint64_t bias;	/* of an image read from memory: the loader has relocated its dynamic
			 * segment */
	char build_id[2 * ELFIMAGE_BUILD_ID_MAX + 1]; /* hexadecimal, "" = none */
};

/* Of an open file, which may be closed afterwards.  NULL: not an ELF file of this machine. */
struct elfimage *elfimage_open(int file);
/* Of bytes in the file's layout, from malloc; takes ownership in every case. */
struct elfimage *elfimage_from_bytes(unsigned char *bytes, size_t size);
void elfimage_free(struct elfimage *image);

/* Lowest address of its segments, rounded down to a page, and the highest. */
bool elfimage_span(const struct elfimage *image, uint64_t *low_out, uint64_t *high_out);

struct elfimage_name { /* a symbol to look up */
	const char *name;
	uint64_t value, size; /* result; value 0 = not found */
};
/* From the dynamic and the full symbol table. */
void elfimage_symbols(const struct elfimage *image, struct elfimage_name *names, size_t count);

struct elfimage_section {
	uint64_t address, size;
	const unsigned char *bytes; /* NULL = not in the file */
};
bool elfimage_section(const struct elfimage *image, const char *name, struct elfimage_section *out);
/* .eh_frame_hdr and .eh_frame, by the segments, if there are no sections. */
bool elfimage_unwind(const struct elfimage *image, struct elfimage_section *header_out,
		     struct elfimage_section *frames_out);

#endif
