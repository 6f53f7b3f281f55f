/* Finding the frame description that covers an address: by the sorted table of .eh_frame_hdr if it
 * has the one form that linkers write, else by a linear search of .eh_frame. */
#include "object/unwind/cfi.h"

#include "base/partitionpoint.h"
#include "object/unwind/cfi_program.h"

#define TABLE_ENCODING (CFI_PE_DATAREL | CFI_PE_SDATA4)
#define SEARCH_MAX     (1u << 17) /* entries searched linearly: limits the time it takes */

struct table_row {
	int32_t start; /* both relative to the header's address */
	int32_t entry;
};

/* The contents of the entry at an offset into .eh_frame; *next_out is the offset after it.  False
 * at the end and if nothing can follow. */
static bool cfi_entry_at(const struct cfi_section *section, uint64_t offset, struct cfi_bytes *out,
			 uint64_t *next_out)
{
	struct cfi_bytes bytes;
	uint32_t length;

	if (offset >= section->frames_size)
		return false;
	bytes = (struct cfi_bytes){section->frames + offset, section->frames + section->frames_size,
				   false};
	length = cfi_u32(&bytes);
	/* UINT32_MAX announces a 64-bit length, which no linker has ever written here. */
	if (bytes.is_bad || length < 4 || length == UINT32_MAX || length > cfi_left(&bytes))
		return false;
	out->at = bytes.at;
	out->end = bytes.at + length;
	out->is_bad = false;
	*next_out = (uint64_t)(out->end - section->frames);
	return true;
}

/* The fields that an augmentation string adds to the CIE. */
static bool take_augmentation(const char *letters, struct cfi_bytes *bytes, struct cfi_entry *entry)
{
	uint64_t size = cfi_uleb(bytes);
	struct cfi_bytes data = *bytes;

	cfi_skip(bytes, size);
	if (bytes->is_bad)
		return false;
	data.end = bytes->at;
	for (const char *letter = letters + 1; *letter; letter++) {
		uint8_t encoding;

		switch (*letter) {
		case 'R':
			entry->encoding = cfi_u8(&data);
			break;
		case 'L':
			entry->handlers_encoding = cfi_u8(&data);
			break;
		case 'P':
			encoding = cfi_u8(&data);
			if (encoding != CFI_PE_OMIT)
				cfi_value(&data, encoding);
			break;
		case 'S':
			entry->is_signal = true;
			break;
		case 'B': /* return addresses are signed with the B key */
		case 'G':
			break;
		default: /* unknown, and so is what follows, which may be the encoding */
			return false;
		}
	}
	return !data.is_bad;
}

/* Read the CIE at an offset. */
static bool cfi_take_common(const struct cfi_section *section, uint64_t offset,
			    struct cfi_entry *entry)
{
	struct cfi_bytes bytes;
	const char *letters;
	uint64_t next;
	uint8_t version;

	if (!cfi_entry_at(section, offset, &bytes, &next) || cfi_u32(&bytes) != 0)
		return false;
	version = cfi_u8(&bytes);
	letters = (const char *)bytes.at;
	while (cfi_u8(&bytes) != 0)
		;
	if (bytes.is_bad || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && (cfi_u8(&bytes) != 8 || cfi_u8(&bytes) != 0))
		return false; /* size of addresses, of segment selectors */
	entry->encoding = CFI_PE_ABSPTR;
	entry->handlers_encoding = CFI_PE_OMIT;
	entry->is_signal = false;
	entry->code_alignment = cfi_uleb(&bytes);
	entry->data_alignment = cfi_sleb(&bytes);
	entry->return_register = version == 1 ? cfi_u8(&bytes) : cfi_uleb(&bytes);
	if (letters[0] != '\0' && (letters[0] != 'z' || !take_augmentation(letters, &bytes, entry)))
		return false;
	entry->initial = bytes;
	return !bytes.is_bad;
}

struct cursor { /* the CIE read last: neighbours share it */
	uint64_t common;
	bool is_good;
	bool has_augmentation;
	struct cfi_entry entry;
};

static bool has_augmentation(const struct cfi_section *section, uint64_t common)
{
	return section->frames[common + 9] == 'z'; /* after length, id and version */
}

static bool ensure_common(const struct cfi_section *section, uint64_t common, struct cursor *cursor)
{
	if (cursor->common == common)
		return cursor->is_good;
	cursor->common = common;
	cursor->is_good = cfi_take_common(section, common, &cursor->entry);
	cursor->has_augmentation = cursor->is_good && has_augmentation(section, common);
	return cursor->is_good;
}

/* The augmentation data of an FDE: the address of its LSDA. */
static void take_handlers(const struct cfi_section *section, struct cfi_bytes *bytes,
			  struct cfi_entry *entry)
{
	uint64_t size = cfi_uleb(bytes);
	struct cfi_bytes data = *bytes;

	cfi_skip(bytes, size);
	data.end = bytes->at;
	if (bytes->is_bad || entry->handlers_encoding == CFI_PE_OMIT)
		return;
	entry->handlers = cfi_pointer(section, &data, entry->handlers_encoding);
	if (data.is_bad)
		entry->handlers = 0;
}

/* Read the frame description in bytes, without the program's first byte; false when it is a CIE, or
 * malformed. */
static bool cfi_take_entry(const struct cfi_section *section, struct cfi_bytes bytes,
			   struct cursor *cursor)
{
	struct cfi_entry *entry = &cursor->entry;
	uint64_t place = (uint64_t)(bytes.at - section->frames);
	uint32_t distance = cfi_u32(&bytes);
	uint64_t size;

	if (distance == 0 || distance > place || !ensure_common(section, place - distance, cursor))
		return false;
	entry->start = cfi_pointer(section, &bytes, entry->encoding);
	size = cfi_value(&bytes, entry->encoding);
	entry->handlers = 0;
	if (cursor->has_augmentation)
		take_handlers(section, &bytes, entry);
	entry->end = entry->start + size;
	entry->program = bytes;
	return !bytes.is_bad && entry->start != 0 && entry->end > entry->start;
}

static struct table_row table_row_at(const struct cfi_bytes *table, uint64_t index)
{
	struct table_row row;

	memcpy(&row, table->at + index * sizeof(row), sizeof(row));
	return row;
}

/* Offset into .eh_frame of the entry that may cover pc, by the sorted table.  False: there is no
 * usable table; a missing entry is at UINT64_MAX. */
static bool search_table(const struct cfi_section *section, uint64_t pc, uint64_t *offset_out)
{
	uint64_t count, low, target = pc - section->header_address;
	uint8_t frames, counts, rows;
	struct cfi_bytes bytes;
	struct table_row row;

	*offset_out = UINT64_MAX;
	if (!section->header)
		return false;
	bytes = (struct cfi_bytes){section->header, section->header + section->header_size, false};
	if (cfi_u8(&bytes) != 1)
		return false;
	frames = cfi_u8(&bytes);
	counts = cfi_u8(&bytes);
	rows = cfi_u8(&bytes);
	if (rows != TABLE_ENCODING || frames == CFI_PE_OMIT || counts == CFI_PE_OMIT)
		return false;
	cfi_pointer(section, &bytes, frames);
	count = cfi_pointer(section, &bytes, counts);
	if (bytes.is_bad || count == 0 || count > cfi_left(&bytes) / sizeof(row))
		return false;
	low = partition_point(count, i, (int64_t)table_row_at(&bytes, i).start <= (int64_t)target);
	if (low == 0)
		return true;
	row = table_row_at(&bytes, low - 1);
	*offset_out =
		section->header_address + (uint64_t)(int64_t)row.entry - section->frames_address;
	return true;
}

static bool cfi_covers(const struct cfi_entry *entry, uint64_t pc)
{
	return pc >= entry->start && pc < entry->end;
}

static bool search_frames(const struct cfi_section *section, uint64_t pc, struct cursor *cursor)
{
	struct cfi_bytes bytes;
	uint64_t offset = 0;

	for (unsigned i = 0; i < SEARCH_MAX && cfi_entry_at(section, offset, &bytes, &offset); i++)
		if (cfi_take_entry(section, bytes, cursor) && cfi_covers(&cursor->entry, pc))
			return true;
	return false;
}

static bool unwind_cfi_find_entry(const struct cfi_section *section, uint64_t pc,
				  struct cursor *cursor)
{
	struct cfi_bytes bytes;
	uint64_t offset, next;

	if (!search_table(section, pc, &offset))
		return search_frames(section, pc, cursor);
	return cfi_entry_at(section, offset, &bytes, &next) &&
	       cfi_take_entry(section, bytes, cursor) && cfi_covers(&cursor->entry, pc);
}

bool cfi_find_entry(const struct cfi_section *section, uint64_t pc, struct cfi_entry *out)
{
	struct cursor cursor = {.common = UINT64_MAX};

	if (!section->frames || !unwind_cfi_find_entry(section, pc, &cursor))
		return false;
	*out = cursor.entry;
	return true;
}

bool cfi_find(const struct cfi_section *section, uint64_t pc, struct cfi_row *row_out,
	      uint64_t *start_out, uint64_t *end_out)
{
	struct cursor cursor = {.common = UINT64_MAX};
	struct cfi_state state;

	if (!section->frames || !unwind_cfi_find_entry(section, pc, &cursor))
		return false;
	if (start_out)
		*start_out = cursor.entry.start;
	if (end_out)
		*end_out = cursor.entry.end;
	memset(row_out, 0, sizeof(*row_out));
	if (cursor.entry.is_signal)
		row_out->cfa = CFI_CFA_SIGNAL;
	else if (cfi_run(section, &cursor.entry, pc, CFI_NONE_REQUESTED, &state))
		cfi_reduce(&state, row_out);
	return true;
}

bool cfi_find_register(const struct cfi_section *section, uint64_t pc, unsigned number,
		       int32_t *offset_out)
{
	struct cursor cursor = {.common = UINT64_MAX};
	struct cfi_state state;
	const struct cfi_rule *rule;

	if (!section->frames || !unwind_cfi_find_entry(section, pc, &cursor) ||
	    cursor.entry.is_signal || !cfi_run(section, &cursor.entry, pc, number, &state))
		return false;
	rule = &state.rules[cfi_register_of(number) == CFI_REGISTERS ? CFI_REQUESTED
								     : cfi_register_of(number)];
	*offset_out = rule->kind == CFI_RULE_OFFSET ? (int32_t)rule->value : CFI_FRAME_KEPT;
	return rule->kind == CFI_RULE_UNSPECIFIED || rule->kind == CFI_RULE_SAME_VALUE ||
	       (rule->kind == CFI_RULE_OFFSET && rule->value == (int32_t)rule->value);
}

bool cfi_next(const struct cfi_section *section, uint64_t *offset, struct cfi_fde *fde_out)
{
	struct cursor cursor = {.common = UINT64_MAX};
	struct cfi_state state;
	struct cfi_bytes bytes;
	uint64_t entry = *offset;

	for (; section->frames && cfi_entry_at(section, entry, &bytes, offset); entry = *offset) {
		if (!cfi_take_entry(section, bytes, &cursor))
			continue;
		memset(fde_out, 0, sizeof(*fde_out));
		fde_out->entry = entry;
		fde_out->start = cursor.entry.start;
		fde_out->end = cursor.entry.end;
		fde_out->handlers = cursor.entry.handlers;
		fde_out->is_signal = cursor.entry.is_signal;
		if (cfi_run(section, &cursor.entry, cursor.entry.start, CFI_NONE_REQUESTED, &state))
			cfi_reduce(&state, &fde_out->row);
		return true;
	}
	return false;
}

struct row_visit {
	cfi_row_fn each;
	void *context;
};

static void visit_row(void *context, uint64_t start, uint64_t end, const struct cfi_state *state)
{
	const struct row_visit *row_visit = context;
	struct cfi_row row;

	cfi_reduce(state, &row);
	row_visit->each(row_visit->context, start, end, &row);
}

static bool cfi_open_fde(const struct cfi_section *section, const struct cfi_fde *fde,
			 struct cursor *cursor)
{
	struct cfi_bytes bytes;
	uint64_t next;

	return section->frames && cfi_entry_at(section, fde->entry, &bytes, &next) &&
	       cfi_take_entry(section, bytes, cursor);
}

bool cfi_find_in(const struct cfi_section *section, const struct cfi_fde *fde, uint64_t pc,
		 struct cfi_row *row_out)
{
	struct cursor cursor = {.common = UINT64_MAX};
	struct cfi_state state;

	memset(row_out, 0, sizeof(*row_out));
	if (!cfi_open_fde(section, fde, &cursor) || !cfi_covers(&cursor.entry, pc) ||
	    !cfi_run(section, &cursor.entry, pc, CFI_NONE_REQUESTED, &state))
		return false;
	cfi_reduce(&state, row_out);
	return true;
}

bool cfi_each_row(const struct cfi_section *section, const struct cfi_fde *fde, cfi_row_fn each,
		  void *context)
{
	struct cursor cursor = {.common = UINT64_MAX};
	struct row_visit row_visit = {each, context};

	return cfi_open_fde(section, fde, &cursor) &&
	       cfi_run_all(section, &cursor.entry, visit_row, &row_visit);
}
