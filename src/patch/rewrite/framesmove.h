/* Moving .eh_frame sections: every pointer in them is adjusted, and a search table over several of
 * them is made.
 *
 * The bytes may be hostile: nothing outside of them is read or written.  Uses malloc. */
#ifndef KYMO_FRAMESMOVE_H
#define KYMO_FRAMESMOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frames_move { /* one section: a copy of its bytes, changed in place */
	unsigned char *bytes;
	size_t size;
	uint64_t from, to;	       /* its addresses before and after */
	uint64_t code_start, code_end; /* what pointers lead there … */
	int64_t code_by;	       /* … lead so far from there afterwards */
	bool is_relocated; /* absolute pointers are the loader's to fill in: cannot be moved */
};

struct frames_row {
	uint64_t start; /* of the code that an entry covers */
	uint64_t entry; /* where the entry lies */
};

struct frames_common { /* what a common entry says of the descriptions that name it */
	uint64_t offset;
	uint8_t encoding, lsda_encoding;
	bool has_data;
};

struct frames_list {
	struct frames_row *rows;
	size_t row_count, row_capacity;
	struct frames_common *commons; /* of the section at hand */
	size_t common_count, common_capacity;
};

/* Bring the section to its new place and add its descriptions to the list's rows.  False: it
 * cannot be understood whole. */
bool frames_move(const struct frames_move *move, struct frames_list *list);
void frames_list_release(struct frames_list *list);

/* An .eh_frame_hdr for address, over all rows, FRAMES_HEADER_SIZE and FRAMES_ROW_SIZE for each
 * row.  False: something lies further away than its numbers reach. */
bool frames_header(struct frames_list *list, uint64_t address, uint64_t frames_address,
		   unsigned char *header);
#define FRAMES_HEADER_SIZE 12u
#define FRAMES_ROW_SIZE	   8u

#endif
