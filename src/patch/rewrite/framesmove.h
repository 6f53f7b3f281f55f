/* Moving .eh_frame sections: every pointer in them is adjusted, and a search table over several of
 * them is made.
 *
 * The bytes may be hostile: nothing outside of them is accessed.  Uses malloc. */
#ifndef KYMO_FRAMESMOVE_H
#define KYMO_FRAMESMOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frames_move { /* one section: a copy of its bytes, changed in place */
	unsigned char *bytes;
	size_t size;
	uint64_t from, to;	       /* its addresses before and after */
	uint64_t code_start, code_end; /* pointers into this range … */
	int64_t code_by;	       /* … are moved by this afterwards */
	bool is_relocated; /* absolute pointers are relocated by the loader: cannot be moved */
};

struct frames_row {
	uint64_t start; /* of the code that an entry covers */
	uint64_t entry; /* address of the entry */
};

struct frames_common { /* what a CIE specifies for its FDEs */
	uint64_t offset;
	uint8_t encoding, lsda_encoding;
	bool has_data;
};

struct frames_list {
	struct frames_row *rows;
	size_t row_count, row_capacity;
	struct frames_common *commons; /* of the current section */
	size_t common_count, common_capacity;
};

/* Move the section to its new address and add its descriptions to the list's rows.  False: part of
 * it cannot be parsed. */
bool frames_move(const struct frames_move *move, struct frames_list *list);
void frames_list_release(struct frames_list *list);

/* An .eh_frame_hdr for address, over all rows, FRAMES_HEADER_SIZE and FRAMES_ROW_SIZE for each row.
 * False: a distance does not fit. */
bool frames_header(struct frames_list *list, uint64_t address, uint64_t frames_address,
		   unsigned char *header);
#define FRAMES_HEADER_SIZE 12u
#define FRAMES_ROW_SIZE	   8u

#endif
