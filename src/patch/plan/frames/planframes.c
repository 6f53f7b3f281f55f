/* The unwind tables of a plan's code.  Displaced instructions are unwound as the file's own tables
 * describe their original address; the return address of a call-through is in its shadow slot.
 *
 * There the canonical frame address is 1 too high: unwinders identify frames by it, and the called
 * function has the same.  The stack pointer has a rule of its own. */
#include "patch/plan/frames/planframes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/plan/frames/cfi_emit.h"

#define ENTRY_ALIGN 8u
#define RANGE_AT    12u /* offset in an entry: how many bytes of code it covers */

enum { OP_SHL = 0x24, OP_XOR = 0x27, OP_LIT1 = 0x31, OP_CONST1U = 0x08, OP_BREG_RSP = 0x77 };

/* rsp + number with bit PATCH_SHADOW_BIT flipped */
static const uint8_t shadow[] = {OP_BREG_RSP,	   0x78,   OP_LIT1, OP_CONST1U,
				 PATCH_SHADOW_BIT, OP_SHL, OP_XOR};
static const uint8_t shadow_slow[] = {OP_BREG_RSP,	0xf8,	0x00,  OP_LIT1, OP_CONST1U,
				      PATCH_SHADOW_BIT, OP_SHL, OP_XOR};

struct frames_row {
	uint64_t start; /* of the code */
	size_t place;	/* of the entry in the section */
};

struct frames_maker {
	struct plan_stretch *frames;
	const struct patch_processor *processor;
	struct cfi_transcode rows;
	uint64_t address;
	struct frames_row *table;
	size_t count, capacity;
	/* Offset of the newest entry, when it has no instructions; 0 = it has. */
	size_t plain_place;
	uint64_t plain_start;
	bool is_failed;
};

/* The state of code that belongs to no function. */
static void planframes_state_of(const struct plan_mark *mark, struct cfi_transcode_state *out)
{
	cfi_transcode_start(out);
	switch ((enum plan_rule)mark->rule) {
	case PLAN_RULE_ENTRY:
	case PLAN_RULE_FILE:
	case PLAN_RULE_PUSHED ... PLAN_RULE_STEPPED: /* another processor's */
		break;
	case PLAN_RULE_SLOW:
		out->cfa_offset = 8 + 128;
		break;
	case PLAN_RULE_CALLED:
	case PLAN_RULE_CALLED_SLOW:
		out->cfa_offset = mark->rule == PLAN_RULE_CALLED ? 1 : 1 + 128;
		out->rules[CFI_TRANSCODE_RSP] =
			(struct cfi_transcode_rule){.kind = CFI_RULE_VAL_OFFSET, .value = -1};
		out->rules[CFI_TRANSCODE_RETURN] = (struct cfi_transcode_rule){
			.kind = CFI_RULE_EXPRESSION, .size = sizeof(shadow), .expression = shadow};
		if (mark->rule == PLAN_RULE_CALLED_SLOW)
			out->rules[CFI_TRANSCODE_RETURN] =
				(struct cfi_transcode_rule){.kind = CFI_RULE_EXPRESSION,
							    .size = sizeof(shadow_slow),
							    .expression = shadow_slow};
	}
}

/* The same with a lower stack pointer. */
static const struct cfi_transcode_state *stepped_state(const struct cfi_transcode_state *state,
						       unsigned stepped,
						       struct cfi_transcode_state *memory)
{
	*memory = *state;
	if (!memory->is_expression && memory->cfa_register == CFI_TRANSCODE_RSP)
		memory->cfa_offset += stepped;
	return memory;
}

/* The state at mark; NULL: the one that was emitted last, which is_file says is the file's. */
static const struct cfi_transcode_state *next_state(struct frames_maker *maker,
						    const struct plan_mark *mark, bool *is_file,
						    struct cfi_transcode_state *memory)
{
	const struct cfi_transcode_state *state = NULL;
	bool is_same = false, was_file = *is_file;

	if (mark->rule == PLAN_RULE_FILE)
		state = cfi_transcode_at(&maker->rows, mark->address, &is_same);
	if (state && mark->stepped > 0) {
		*is_file = false;
		return stepped_state(state, mark->stepped, memory);
	}
	*is_file = state != NULL;
	if (state)
		return was_file && is_same ? NULL : state;
	planframes_state_of(mark, memory);
	return memory;
}

static void planframes_emit(struct frames_maker *maker, const void *bytes, size_t size)
{
	maker->is_failed |= !cfi_emit_bytes(maker->frames, bytes, size);
}

static void planframes_emit_word(struct frames_maker *maker, uint32_t word)
{
	planframes_emit(maker, &word, sizeof(word));
}

static void planframes_emit_advance(struct frames_maker *maker, uint32_t distance)
{
	if (distance < 0x40)
		planframes_emit(maker, &(uint8_t){(uint8_t)(0x40 | distance)}, 1);
	else if (distance <= UINT8_MAX)
		planframes_emit(maker, (const uint8_t[]){0x02, (uint8_t)distance}, 2);
	else if (distance <= UINT16_MAX)
		planframes_emit(
			maker, (const uint8_t[]){0x03, (uint8_t)distance, (uint8_t)(distance >> 8)},
			3);
	else {
		planframes_emit(maker, &(uint8_t){0x04}, 1);
		planframes_emit_word(maker, distance);
	}
}

/* Pad the entry that begins at start, and fill in its length. */
static void end_entry(struct frames_maker *maker, size_t start)
{
	static const uint8_t nops[ENTRY_ALIGN];
	uint32_t length;

	planframes_emit(maker, nops, -maker->frames->size % ENTRY_ALIGN);
	if (maker->is_failed)
		return;
	length = (uint32_t)(maker->frames->size - start - sizeof(length));
	memcpy(maker->frames->bytes + start, &length, sizeof(length));
}

static void planframes_emit_cie(struct frames_maker *maker)
{
	static const uint8_t contents[] = {
		1, /* version */
		'z',
		'R',
		0,				     /* augmentation */
		1,				     /* alignment of code … */
		CFI_TRANSCODE_DATA_ALIGNMENT & 0x7f, /* … and of data */
		CFI_TRANSCODE_RETURN,
		1,
		0x1b, /* pcrel, sdata4 */
		0x0c,
		CFI_TRANSCODE_RSP,
		8, /* DW_CFA_def_cfa */
		0x80 | CFI_TRANSCODE_RETURN,
		8, /* DW_CFA_offset */
	};

	planframes_emit_word(maker, 0);
	planframes_emit_word(maker, 0);
	if (maker->processor->frames_common)
		planframes_emit(maker, maker->processor->frames_common,
				*maker->processor->frames_common_size);
	else
		planframes_emit(maker, contents, sizeof(contents));
	end_entry(maker, 0);
}

/* Emit the instructions for marks, the first of which is at first. */
static void planframes_emit_marks(struct frames_maker *maker, const struct plan_mark *marks,
				  size_t count, uint32_t first)
{
	struct cfi_transcode_state state, memory;
	uint32_t at = first;
	bool is_file = false;

	cfi_transcode_start(&state);
	for (size_t i = 0; i < count && !maker->is_failed; i++) {
		size_t before = maker->frames->size, advanced;
		const struct cfi_transcode_state *next;

		if (i + 1 < count && marks[i + 1].at == marks[i].at)
			continue; /* the later one applies */
		next = next_state(maker, &marks[i], &is_file, &memory);
		if (!next)
			continue;
		if (marks[i].at != at)
			planframes_emit_advance(maker, marks[i].at - at);
		advanced = maker->frames->size;
		maker->is_failed |= !cfi_emit(maker->frames, &state, next);
		if (maker->frames->size == advanced) {
			maker->frames->size = before;
			continue;
		}
		at = marks[i].at;
		state = *next;
	}
}

static void planframes_add_row(struct frames_maker *maker, uint64_t start, size_t place)
{
	struct frames_row *grown =
		array_grow(maker->table, &maker->capacity, maker->count + 1, sizeof(*grown));

	if (!grown) {
		maker->is_failed = true;
		return;
	}
	maker->table = grown;
	maker->table[maker->count++] = (struct frames_row){start, place};
}

/* Emit entries for code at [start, end) with its marks.  An entry without instructions is merged
 * with the one before it. */
static void planframes_emit_entry(struct frames_maker *maker, uint64_t start, uint64_t end,
				  const struct plan_mark *marks, size_t count, uint32_t first)
{
	size_t place = maker->frames->size, program;

	planframes_emit_word(maker, 0);
	planframes_emit_word(maker, (uint32_t)maker->frames->size);
	planframes_emit_word(maker, (uint32_t)(start - (maker->address + maker->frames->size)));
	planframes_emit_word(maker, (uint32_t)(end - start));
	planframes_emit(maker, &(uint8_t){0}, 1);
	program = maker->frames->size;
	if (maker->processor->emit_frames)
		maker->is_failed |=
			!maker->processor->emit_frames(maker->frames, marks, count, first);
	else
		planframes_emit_marks(maker, marks, count, first);
	if (maker->is_failed)
		return;
	if (maker->frames->size == program && maker->plain_place) {
		uint32_t range = (uint32_t)(end - maker->plain_start);

		memcpy(maker->frames->bytes + maker->plain_place + RANGE_AT, &range, sizeof(range));
		maker->frames->size = place;
		return;
	}
	maker->plain_place = maker->frames->size == program ? place : 0;
	maker->plain_start = start;
	end_entry(maker, place);
	planframes_add_row(maker, start, place);
}

/* 4 zero bytes end the section; padding aligns the header. */
static void planframes_emit_end(struct frames_maker *maker)
{
	static const uint8_t zeros[16];

	planframes_emit_word(maker, 0);
	planframes_emit(maker, zeros, -maker->frames->size % 16);
}

static enum kymo_status planframes_make_header(const struct frames_maker *maker,
					       struct plan_stretch *header, struct problem *problem)
{
	const uint64_t address = maker->address + maker->frames->size;
	const uint8_t head[] = {1, 0x1b, 0x03, 0x3b}; /* pcrel sdata4; udata4; datarel sdata4 */
	const int32_t frames = -(int32_t)(maker->frames->size + sizeof(head));
	const uint32_t count = (uint32_t)maker->count;
	bool is_good = cfi_emit_bytes(header, head, sizeof(head)) &&
		       cfi_emit_bytes(header, &frames, sizeof(frames)) &&
		       cfi_emit_bytes(header, &count, sizeof(count));

	for (size_t i = 0; i < maker->count && is_good; i++) {
		const int32_t row[2] = {(int32_t)(maker->table[i].start - address),
					(int32_t)maker->table[i].place -
						(int32_t)maker->frames->size};

		is_good = cfi_emit_bytes(header, row, sizeof(row));
	}
	return is_good ? KYMO_OK : problem_set(problem, KYMO_MEMORY, "out of memory");
}

enum kymo_status planframes_make(const struct plan_blob *blob, const struct patch_module *module,
				 const struct plan_addresses *addresses, uint64_t address,
				 struct plan_frames *out, struct problem *problem)
{
	struct frames_maker maker = {
		.frames = &out->frames, .processor = module->processor, .address = address};
	enum kymo_status status;

	memset(out, 0, sizeof(*out));
	cfi_transcode_init(&maker.rows, &module->frames);
	planframes_emit_cie(&maker);
	for (size_t i = 0; i < blob->extent_count; i++) {
		const struct plan_extent *extent = &blob->extents[i];

		planframes_emit_entry(
			&maker, addresses->hot + extent->start, addresses->hot + extent->end,
			blob->marks + extent->first_mark, extent->mark_count, extent->start);
	}
	planframes_emit_entry(&maker, addresses->cold, addresses->cold + blob->cold.size,
			      blob->cold_marks, blob->cold_mark_count, 0);
	planframes_emit_end(&maker);
	status = maker.is_failed ? problem_set(problem, KYMO_MEMORY, "out of memory")
				 : planframes_make_header(&maker, &out->header, problem);
	free(maker.table);
	return status;
}

void planframes_release(struct plan_frames *frames)
{
	free(frames->frames.bytes);
	free(frames->header.bytes);
	memset(frames, 0, sizeof(*frames));
}
