/* The file of a recording made from known data: chunks are filled in memory and written to their
 * offsets, in the order they were begun.
 *
 * One thread; uses malloc.  The first failure is kept in the file, and nothing is done from then
 * on: reservations return NULL. */
#ifndef KYMO_RECORDING_WRITER_FILE_H
#define KYMO_RECORDING_WRITER_FILE_H

#include "base/outfile.h"
#include "format/format.h"

#define MADE_CHUNK_MAX (1u << 20)

struct recording_writer_file {
	struct outfile out;
	uint64_t end; /* of the chunks that have an offset */
	uint64_t sequence;
	enum kymo_status status;
	struct problem problem;
};

struct recording_writer_section { /* the current chunk of one kind, and perhaps thread */
	uint16_t type;
	uint32_t thread;
	uint32_t record_size; /* 0 = no records of one size */
	uint32_t limit;	      /* largest chunk, bytes */
	unsigned char *bytes; /* with its header; NULL = none begun */
	uint64_t size;	      /* of the chunk */
	uint64_t used;	      /* of it, including the header */
	uint64_t offset;      /* in the file */
	uint64_t base;	      /* of the chunk */
	uint64_t next_base;   /* numbered tables: of the next record */
};

enum kymo_status recording_writer_file_open(struct recording_writer_file *file, const char *path,
					    struct problem *problem);
/* The sections must have been finished.  Either way the file is released. */
enum kymo_status recording_writer_file_commit(struct recording_writer_file *file,
					      const struct kymo_header *header,
					      struct problem *problem);
void recording_writer_file_discard(struct recording_writer_file *file);
void recording_writer_file_fail(struct recording_writer_file *file, enum kymo_status status,
				const char *format, ...) __attribute__((format(printf, 3, 4)));

void recording_writer_section_init(struct recording_writer_section *section,
				   enum kymo_chunk_type type, uint32_t thread,
				   uint32_t record_size);
/* Reserve size zeroed bytes, a multiple of 8 unless the section's content is bytes; *at_out is
 * their offset in the file.  They are valid until the next call.  With *is_new_out a chunk was
 * begun for it, whose base is next_base until the caller changes it. */
void *recording_writer_section_reserve(struct recording_writer_file *file,
				       struct recording_writer_section *section, uint64_t size,
				       uint64_t *at_out, bool *is_new_out);
/* Return the unused end of the last reservation. */
static inline void recording_writer_section_return(struct recording_writer_section *section,
						   uint64_t size)
{
	section->used -= size;
}
static inline uint64_t
recording_writer_section_available(const struct recording_writer_section *section)
{
	return section->size - section->used;
}
/* Change size bytes of the section that were reserved at that offset before. */
void recording_writer_section_patch(struct recording_writer_file *file,
				    struct recording_writer_section *section, uint64_t at,
				    const void *bytes, uint64_t size);
/* Write what is left, and release the section. */
void recording_writer_section_finish(struct recording_writer_file *file,
				     struct recording_writer_section *section);

#endif
