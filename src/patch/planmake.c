/* From an analysed file to a plan: what is done to each function, and the plan's sections. */
#include "patch/planmake.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/planblob.h"
#include "patch/planbrief.h"
#include "patch/planemit.h"
#include "patch/planframes.h"
#include "patch/patchprocessor.h"
#include "patch/planhalves.h"
#include "patch/planloops.h"
#include "patch/plansymbols.h"

#define PAGE		  4096u
#define SECTION_ALIGN	  16u
#define FUNCTIONS_FOR_TWO 512u /* threads: fewer are not worth it */
#define SHORT_BYTES	  2u
#define LOWEST		  UINT64_C(0x10000) /* below it the kernel maps nothing */
/* A program that is large itself would be out of reach further away. */
#define LARGE_PROGRAM	  (UINT64_C(64) << 20)
#define LARGE_PROGRAM_GAP (UINT64_C(1) << 30)

struct maker {
	struct patch_module *module;
	const struct planmake_options *options;
	struct problem *problem;
	struct plan_blob blob;
	struct plan_places places;
	struct plan_function *functions; /* of the file, then the loops */
	size_t function_count;
	struct patch_loops loops;
	struct plan_write *writes;
	size_t write_count, write_capacity;
	uint8_t *claimed; /* a bit for each byte of the text that is written */
	uint32_t *fixups;
	struct plan_owner *owners;
	size_t fixup_count;
	struct plan_stretch names;
	struct plan_frames frames;
	struct plan_symbols symbols;
	struct plan_header header;
	struct plan_brief brief;
};

static enum kymo_status out_of_memory(struct maker *maker)
{
	return problem_set(maker->problem, KYMO_MEMORY, "out of memory for the plan of '%s'",
			   maker->module->path);
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool add_write(struct maker *maker, uint64_t address, const void *after, uint8_t size,
		      uint8_t distance_at)
{
	const unsigned char *before = patchmodule_at(maker->module, address, size);
	uint64_t place = address - maker->header.text_start;
	struct plan_write *grown, *write;

	grown = array_grow(maker->writes, &maker->write_capacity, maker->write_count + 1,
			   sizeof(*grown));
	if (grown)
		maker->writes = grown;
	if (!before || !grown || place > UINT32_MAX)
		return false;
	write = &grown[maker->write_count++];
	memset(write, 0, sizeof(*write));
	write->place = (uint32_t)place;
	write->size = size;
	write->distance_at = distance_at;
	memcpy(write->before, before, size);
	memcpy(write->after, after, size);
	return true;
}

static bool add_jump(struct maker *maker, const struct plan_jump *jump)
{
	uint64_t at = jump->cave ? jump->cave : jump->at;
	const struct patch_processor *processor = maker->module->processor;
	uint8_t far[PLAN_PATCH_MAX], near[SHORT_BYTES] = {0xeb};
	int64_t distance;

	if (!processor->jump(at, maker->places.hot + jump->hot, far) ||
	    !add_write(maker, at, far, processor->jump_bytes, processor->jump_distance_at))
		return false;
	if (!jump->cave)
		return true;
	distance = (int64_t)(jump->cave - (jump->at + SHORT_BYTES));
	near[1] = (uint8_t)distance;
	return distance == (int8_t)distance && add_write(maker, jump->at, near, sizeof(near), 0);
}

/* Jumps of some processors do not reach from one end of a large file to the other. */
static bool is_in_reach(const struct maker *maker, const struct plan_jump *jumps, uint32_t count)
{
	uint8_t bytes[PLAN_PATCH_MAX];

	for (uint32_t i = 0; i < count; i++) {
		const struct plan_jump *jump = &jumps[i];

		if (!maker->module->processor->jump(jump->cave ? jump->cave : jump->at,
						    maker->places.hot + jump->hot, bytes))
			return false;
	}
	return true;
}

static bool is_claimed(const struct maker *maker, const struct plan_write *write)
{
	uint64_t into = write->place;

	if (into + write->size > maker->header.text_end - maker->header.text_start)
		return true;
	for (unsigned i = 0; i < write->size; i++)
		if (maker->claimed[(into + i) / 8] & 1u << (into + i) % 8)
			return true;
	return false;
}

/* No byte is written for two reasons.  False: one of the writes from first on would be. */
static bool claim(struct maker *maker, size_t first)
{
	for (size_t k = first; k < maker->write_count; k++) {
		uint64_t into = maker->writes[k].place;

		if (is_claimed(maker, &maker->writes[k]))
			return false;
		for (unsigned i = 0; i < maker->writes[k].size; i++)
			maker->claimed[(into + i) / 8] |= (uint8_t)(1u << (into + i) % 8);
	}
	return true;
}

static uint32_t add_name(struct maker *maker, const char *name)
{
	struct plan_stretch *names = &maker->names;
	size_t size = strlen(name) + 1, at = names->size;

	if (size == 1 && at > 0)
		return 0;
	if (at + size > names->capacity) {
		uint8_t *grown = array_grow(names->bytes, &names->capacity, at + size, 1);

		if (!grown) {
			maker->blob.is_failed = true;
			return 0;
		}
		names->bytes = grown;
	}
	memcpy(names->bytes + at, name, size);
	names->size += size;
	return (uint32_t)at;
}

/* In the place of a call of mcount that is not among what is displaced. */
static bool add_nop(struct maker *maker, uint32_t index, enum plan_way way)
{
	const struct patch_function *function = &maker->module->functions[index];
	uint8_t nop[PLAN_PATCH_MAX];
	unsigned size = patchhooks_nop(maker->module, function, way, nop);

	return size == 0 || add_write(maker, function->hook_call, nop, (uint8_t)size, 0);
}

/* The jumps to what was made become writes, and way is what the function gets, unless other
 * writes are in their way. */
static bool write_jumps(struct maker *maker, uint32_t index, const struct plan_jump *jumps,
			uint32_t jump_count, enum plan_way way)
{
	struct plan_function *function = &maker->functions[index];
	size_t first = function->first_write;

	if (planhalves_has_code(way) && !is_in_reach(maker, jumps, jump_count)) {
		function->reason = PLAN_TOO_FAR;
		way = PLAN_WAY_NONE;
	}
	for (uint32_t i = 0; planhalves_has_code(way) && i < jump_count; i++)
		if (!add_jump(maker, &jumps[i]))
			return false;
	if (planhalves_has_code(way) && index < maker->module->function_count &&
	    !add_nop(maker, index, way))
		return false;
	if (!claim(maker, first)) {
		maker->write_count = first;
		function->reason = PLAN_OVERLAPPING;
		way = PLAN_WAY_NONE;
	}
	function->way = (uint8_t)way;
	function->write_count = (uint16_t)(maker->write_count - first);
	maker->header.reasons[function->reason]++;
	return maker->write_count - first <= UINT16_MAX && !maker->blob.is_failed;
}

static bool make_function(struct maker *maker, uint32_t index, const struct plan_emission *emission)
{
	const struct patch_function *from = &maker->module->functions[index];
	const struct plan_emitted *emitted = &emission->functions[index];
	struct plan_function *to = &maker->functions[index];

	*to = (struct plan_function){.address = from->address,
				     .size = (uint32_t)from->size,
				     .name = add_name(maker, from->name ? from->name : ""),
				     .first_write = (uint32_t)maker->write_count,
				     .reason = emitted->reason,
				     .instructions = from->instructions,
				     .flags = (uint16_t)from->flags};
	if (!write_jumps(maker, index, emission->jumps + emitted->first_jump, emitted->jump_count,
			 (enum plan_way)emitted->way))
		return false;
	to->exits = (uint16_t)(to->way == PLAN_WAY_EXITS ? from->exit_count : 0);
	return true;
}

/* Its place in the plan is behind the functions. */
static bool make_loop(struct maker *maker, size_t number, struct plan_function_code *code)
{
	const struct patch_loop *loop = &maker->loops.loops[number];
	const uint32_t index = (uint32_t)(maker->module->function_count + number);
	const struct plan_function *function = &maker->functions[loop->function];
	struct plan_function *to = &maker->functions[index];
	enum plan_way way = PLAN_WAY_NONE;

	*to = (struct plan_function){
		.address = loop->start,
		.size = (uint32_t)(loop->end - loop->start),
		.name = function->name,
		.first_write = (uint32_t)maker->write_count,
		.reason = loop->reason,
		.instructions = loop->instructions,
		.exits = (uint16_t)loop->edge_count,
		.flags = (uint16_t)((function->flags &
				     (unsigned)~(PLAN_FUNCTION_TAIL_CALLS | PLAN_FUNCTION_LOOPS)) |
				    PLAN_FUNCTION_LOOP)};
	code->jump_count = 0;
	if (loop->edge_count == 0)
		return write_jumps(maker, index, code->jumps, code->jump_count, way);
	if (function->way != PLAN_WAY_EXITS && function->way != PLAN_WAY_CALL)
		to->reason = function->reason; /* nobody would see it end with its function */
	else if (planloops_emit(&maker->blob, maker->module, maker->loops.edges + loop->first_edge,
				loop->edge_count, index, code))
		way = PLAN_WAY_EXITS;
	else
		to->reason = PLAN_NOT_MOVABLE;
	return write_jumps(maker, index, code->jumps, code->jump_count, way);
}

static uint32_t most_edges(const struct patch_loops *loops)
{
	uint32_t most = 0;

	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].edge_count > most)
			most = loops->loops[i].edge_count;
	return most;
}

static enum kymo_status cannot_make(struct maker *maker, const struct patch_function *function)
{
	return problem_set(maker->problem, KYMO_ERROR,
			   "cannot make code for '%s' at 0x%llx of '%s'", function->name,
			   (unsigned long long)function->address, maker->module->path);
}

static enum kymo_status make_all(struct maker *maker, const struct plan_emission *emission,
				 struct plan_function_code *code)
{
	const struct patch_module *module = maker->module;

	for (size_t i = 0; i < module->function_count; i++)
		if (!make_function(maker, (uint32_t)i, emission))
			return cannot_make(maker, &module->functions[i]);
	for (size_t i = 0; i < maker->loops.count; i++)
		if (!make_loop(maker, i, code))
			return cannot_make(maker,
					   &module->functions[maker->loops.loops[i].function]);
	return KYMO_OK;
}

/* How many things the plan is for. */
static enum kymo_status count_all(struct maker *maker)
{
	enum kymo_status status = KYMO_OK;

	if (maker->options->kind.variant & PLAN_VARIANT_LOOPS &&
	    maker->module->processor->has_loops)
		status = patchloops_find(maker->module, &maker->loops, maker->problem);
	maker->function_count = maker->module->function_count + maker->loops.count;
	if (status == KYMO_OK && maker->function_count > PATCH_ID_MAX)
		status = problem_set(maker->problem, KYMO_UNAVAILABLE,
				     "'%s' has %zu functions; up to %u can be instrumented",
				     maker->module->path, maker->function_count, PATCH_ID_MAX);
	return status;
}

/* Copies that only count, of all functions that are patched, and their calls. */
static enum kymo_status make_brief(struct maker *maker, const struct plan_emission *emission)
{
	if (!(maker->options->kind.variant & PLAN_VARIANT_BRIEF) ||
	    !maker->module->processor->has_copies)
		return KYMO_OK;
	for (size_t i = 0; i < maker->module->function_count; i++)
		if (maker->functions[i].write_count > 0)
			planbrief_copy(&maker->brief, &maker->blob, maker->module, (uint32_t)i,
				       emission->functions[i].body);
	planbrief_calls(&maker->brief, maker->module, maker->header.text_start, maker->claimed);
	return maker->brief.is_failed ? out_of_memory(maker) : KYMO_OK;
}

static enum kymo_status make_functions(struct maker *maker)
{
	const uint64_t text = maker->header.text_end - maker->header.text_start;
	struct plan_emission emission = {.jumps = NULL};
	struct plan_function_code code = {.jumps = NULL};
	enum kymo_status status = count_all(maker);

	if (status != KYMO_OK)
		return status;
	maker->functions = calloc(maker->function_count + 1, sizeof(*maker->functions));
	code.jumps = calloc((size_t)most_edges(&maker->loops) + 1, sizeof(*code.jumps));
	maker->claimed = calloc((size_t)(text / 8) + 1, 1);
	add_name(maker, "");
	if (!maker->functions || !code.jumps || !maker->claimed ||
	    !planhalves_emit(&maker->blob, maker->module, maker->options, &emission))
		status = out_of_memory(maker);
	else
		status = make_all(maker, &emission, &code);
	if (status == KYMO_OK)
		status = make_brief(maker, &emission);
	planhalves_release(&emission);
	free(code.jumps);
	return status;
}

/* ---- where all lies -------------------------------------------------------------------------
 */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Below a library there is room of its own; the heap grows above a program, or, where jumps do
 * not reach beyond it, there is room below. */
static uint64_t choose_place(const struct patch_module *module)
{
	const struct patch_processor *processor = module->processor;
	bool is_large = module->image_end - module->image_start > LARGE_PROGRAM;

	if (!module->is_position_dependent)
		return (module->image_start & ~(uint64_t)(PAGE - 1)) - processor->library_gap;
	if (processor->program_gap == 0)
		return LOWEST;
	return round_up(module->image_end, PAGE) +
	       (is_large ? LARGE_PROGRAM_GAP : processor->program_gap);
}

static void find_text(const struct patch_module *module, struct plan_header *header)
{
	header->text_start = header->text_end = module->image_start;
	for (size_t i = 0, found = 0; i < module->segment_count; i++) {
		const struct patch_segment *segment = &module->segments[i];

		if (!(segment->flags & PF_X))
			continue;
		if (found++ == 0)
			header->text_start = segment->address;
		header->text_end = segment->address + segment->size;
	}
}

static void fill_header(struct maker *maker)
{
	const struct patch_module *module = maker->module;
	struct plan_header *header = &maker->header;

	memcpy(header->magic, PLAN_MAGIC, sizeof(header->magic));
	header->version = PLAN_VERSION;
	header->machine = module->processor->machine;
	header->cost = (uint16_t)maker->options->kind.cost;
	header->variant = maker->options->kind.variant;
	memcpy(header->build_id, module->build_id, sizeof(header->build_id));
	header->build_id_size = module->build_id_size;
	header->identity = module->identity;
	header->image_start = module->image_start;
	header->image_end = module->image_end;
	find_text(module, header);
}

/* Whose the code is; the cold stretch is everybody's. */
static bool make_owners(struct maker *maker, uint64_t cold)
{
	const struct plan_blob *blob = &maker->blob;

	maker->owners = malloc((blob->extent_count + 1) * sizeof(*maker->owners));
	if (!maker->owners)
		return false;
	for (size_t i = 0; i < blob->extent_count; i++)
		maker->owners[i] =
			(struct plan_owner){blob->extents[i].start, blob->extents[i].function};
	maker->owners[blob->extent_count] = (struct plan_owner){(uint32_t)cold, PLAN_SHARED_CODE};
	return true;
}

/* Where the parts lie, which all distances depend on. */
static uint64_t choose_places(struct maker *maker)
{
	struct plan_header *header = &maker->header;
	struct plan_blob *blob = &maker->blob;
	uint64_t hot = round_up(blob->hot.size, SECTION_ALIGN);

	header->code_address = maker->places.hot;
	header->code_size = round_up(hot + blob->cold.size, PAGE);
	header->vector_address = header->code_address + header->code_size;
	header->switch_address = header->vector_address + PATCH_SWITCH_DISTANCE;
	header->frames_address = header->switch_address + PATCH_SWITCH_SIZE;
	maker->places.cold = maker->places.hot + hot;
	maker->places.vector = header->vector_address;
	maker->places.gate = header->switch_address;
	return hot;
}

struct framing { /* the unwind tables, by a thread of their own */
	struct maker *maker;
	struct problem problem;
	enum kymo_status status;
	bool is_started;
	pthread_t thread;
};

static void *make_frames(void *context)
{
	struct framing *framing = context;
	struct maker *maker = framing->maker;

	framing->status =
		planframes_make(&maker->blob, maker->module, &maker->places,
				maker->header.frames_address, &maker->frames, &framing->problem);
	return NULL;
}

/* What is in the code, and its distances: nothing that the unwind tables are made of. */
static enum kymo_status resolve(struct maker *maker, uint64_t hot)
{
	struct plan_blob *blob = &maker->blob;

	maker->fixups = calloc(blob->link_count + 1, sizeof(*maker->fixups));
	plansymbols_make(&maker->symbols, blob, maker->functions, (const char *)maker->names.bytes,
			 hot);
	if (!maker->fixups || !make_owners(maker, hot) || blob->is_failed ||
	    maker->symbols.is_failed)
		return out_of_memory(maker);
	maker->fixup_count = planblob_resolve(blob, &maker->places, maker->module->processor->link,
					      maker->fixups);
	if (maker->fixup_count == SIZE_MAX)
		return problem_set(maker->problem, KYMO_UNAVAILABLE,
				   "'%s' is too large for jumps between its ends",
				   maker->module->path);
	return KYMO_OK;
}

static enum kymo_status place(struct maker *maker)
{
	struct framing framing = {.maker = maker};
	uint64_t hot = choose_places(maker);
	enum kymo_status status;

	framing.is_started = maker->module->function_count >= FUNCTIONS_FOR_TWO &&
			     pthread_create(&framing.thread, NULL, make_frames, &framing) == 0;
	status = resolve(maker, hot);
	if (framing.is_started)
		pthread_join(framing.thread, NULL);
	else
		make_frames(&framing);
	if (status == KYMO_OK && framing.status != KYMO_OK) {
		status = framing.status;
		*maker->problem = framing.problem;
	}
	return status;
}

/* ---- the plan's bytes ------------------------------------------------------------------------
 */

struct section {
	uint64_t *offset;
	const void *bytes;
	size_t size;
	uint32_t align;
};

static void put(unsigned char *plan, const struct section *section)
{
	if (section->size > 0)
		memcpy(plan + *section->offset, section->bytes, section->size);
}

static void fill_counts(struct maker *maker)
{
	struct plan_header *header = &maker->header;

	header->function_count = maker->function_count;
	header->write_count = maker->write_count;
	header->copy_count = maker->brief.copy_count;
	header->call_count = maker->brief.call_count;
	header->fixup_count = maker->fixup_count;
	header->names_size = maker->names.size;
	header->frames_size = maker->frames.frames.size;
	header->header_size = maker->frames.header.size;
	header->owner_count = maker->blob.extent_count + 1;
	header->symbols_size = maker->symbols.table.size;
	header->symbol_texts_size = maker->symbols.texts.size;
}

static enum kymo_status join(struct maker *maker, unsigned char **bytes_out, size_t *size_out)
{
	struct plan_header *header = &maker->header;
	uint64_t cold_offset, texts_offset;
	const struct section sections[] = {
		{&header->functions_offset, maker->functions,
		 maker->function_count * sizeof(*maker->functions), SECTION_ALIGN},
		{&header->writes_offset, maker->writes, maker->write_count * sizeof(*maker->writes),
		 SECTION_ALIGN},
		{&header->copies_offset, maker->brief.copies,
		 maker->brief.copy_count * sizeof(*maker->brief.copies), SECTION_ALIGN},
		{&header->calls_offset, maker->brief.calls,
		 maker->brief.call_count * sizeof(*maker->brief.calls), SECTION_ALIGN},
		{&header->fixups_offset, maker->fixups, maker->fixup_count * sizeof(*maker->fixups),
		 SECTION_ALIGN},
		{&header->names_offset, maker->names.bytes, maker->names.size, SECTION_ALIGN},
		{&header->owners_offset, maker->owners,
		 (maker->blob.extent_count + 1) * sizeof(*maker->owners), SECTION_ALIGN},
		/* What is mapped from the file: tables at the distances that they have in memory.
		 */
		{&header->code_offset, maker->blob.hot.bytes, maker->blob.hot.size, PAGE},
		{&cold_offset, maker->blob.cold.bytes, maker->blob.cold.size, SECTION_ALIGN},
		{&header->frames_offset, maker->frames.frames.bytes, maker->frames.frames.size,
		 PAGE},
		{&header->header_offset, maker->frames.header.bytes, maker->frames.header.size,
		 SECTION_ALIGN},
		{&header->symbols_offset, maker->symbols.table.bytes, maker->symbols.table.size,
		 PAGE},
		{&texts_offset, maker->symbols.texts.bytes, maker->symbols.texts.size, 1},
	};
	const size_t count = sizeof(sections) / sizeof(sections[0]);
	uint64_t end = sizeof(*header);
	unsigned char *plan;

	fill_counts(maker);
	for (size_t i = 0; i < count; i++) {
		end = round_up(end, sections[i].align);
		*sections[i].offset = end;
		end += sections[i].size;
	}
	header->size = round_up(end, SECTION_ALIGN);
	plan = calloc(1, (size_t)header->size);
	if (!plan)
		return out_of_memory(maker);
	for (size_t i = 0; i < count; i++)
		put(plan, &sections[i]);
	memcpy(plan, header, sizeof(*header));
	header->checksum = plan_checksum(plan, (size_t)header->size);
	memcpy(plan, header, sizeof(*header));
	*bytes_out = plan;
	*size_out = (size_t)header->size;
	return KYMO_OK;
}

enum kymo_status plan_make(struct patch_module *module, const struct planmake_options *options,
			   unsigned char **bytes_out, size_t *size_out, struct problem *problem)
{
	struct maker maker = {.module = module, .options = options, .problem = problem};
	enum kymo_status status;

	planblob_init(&maker.blob, options->kind.cost);
	maker.places.hot = options->code_address ? options->code_address : choose_place(module);
	fill_header(&maker);
	status = make_functions(&maker);
	if (status == KYMO_OK)
		status = place(&maker);
	if (status == KYMO_OK)
		status = join(&maker, bytes_out, size_out);
	planframes_release(&maker.frames);
	plansymbols_release(&maker.symbols);
	planblob_release(&maker.blob);
	patchloops_release(&maker.loops);
	planbrief_release(&maker.brief);
	free(maker.functions);
	free(maker.writes);
	free(maker.claimed);
	free(maker.fixups);
	free(maker.owners);
	free(maker.names.bytes);
	return status;
}
