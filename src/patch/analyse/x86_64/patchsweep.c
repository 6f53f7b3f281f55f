/* One pass over all code: each function is decoded from its first byte to its last, by several
 * threads; bytes that belong to no function, or do not decode, are treated as branches at every
 * offset.  A function can do only what its decoded instructions do. */
#include "patch/analyse/patchsweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/x86_64/return_use.h"
#include "patch/decode/x86_64/patchcode.h"
#include "patch/decode/x86_64/patchskip.h"

#define THREADS_MAX	 4u
#define BYTES_PER_THREAD (1u << 18) /* fewer do not justify a thread */

struct share { /* of a thread: functions [first, end) */
	struct patch_module *module;
	uint32_t first, end;
	struct patch_event *events;
	size_t event_count, event_capacity;
	struct return_use use;
	bool is_short_of_memory;
	pthread_t thread;
};

struct visit { /* of one function */
	struct share *share;
	struct patch_function *function;
	uint32_t index;
	uint64_t again; /* where the entry's displaced bytes begin: after an endbr64 */
};

static void add_event(struct visit *visit, uint64_t address, enum patch_event_kind kind,
		      unsigned length, uint64_t target)
{
	struct share *share = visit->share;
	struct patch_event *events = share->events;

	if (share->event_count == share->event_capacity) {
		events = array_grow(events, &share->event_capacity, share->event_count + 1,
				    sizeof(*events));
		if (!events) {
			share->is_short_of_memory = true;
			return;
		}
		share->events = events;
	}
	events[share->event_count++] = (struct patch_event){.address = address,
							    .target = target,
							    .function = visit->index,
							    .kind = (uint8_t)kind,
							    .length = (uint8_t)length};
}

static void patchsweep_see_branch(struct visit *visit, uint64_t address,
				  const struct patch_code *code)
{
	static const uint8_t kinds[] = {[PATCH_CODE_JUMP] = PATCH_EVENT_JUMP,
					[PATCH_CODE_CONDITIONAL] = PATCH_EVENT_CONDITIONAL,
					[PATCH_CODE_LOOP] = PATCH_EVENT_SHORT};
	struct patch_function *function = visit->function;
	uint64_t target = patchcode_target(code, address);

	patchsweep_mark_jump(visit->share->module, target);
	if (target - function->address >= function->size) {
		add_event(visit, address, kinds[code->kind], code->length, target);
		return;
	}
	if (target <= address)
		function->flags |= PLAN_FUNCTION_LOOPS;
	if (target == function->address || target == visit->again)
		add_event(visit, address, PATCH_EVENT_OWN_ENTRY, code->length, target);
}

/* Note an address: of code, or of data that may be a jump table. */
static void see_address(struct visit *visit, uint64_t address, const struct patch_code *code)
{
	struct patch_module *module = visit->share->module;
	uint64_t target = patchcode_operand(code, address);
	if (patchmodule_is_code(module, target))
		patchsweep_name(module, target);
	patchsweep_see_data(module, target);
	add_event(visit, address, PATCH_EVENT_TABLE, code->length, target);
}

static void patchsweep_see_through(struct visit *visit, uint64_t address,
				   const struct patch_code *code)
{
	add_event(visit, address, PATCH_EVENT_JUMP_INDIRECT, code->length,
		  code->is_rip_relative ? patchcode_operand(code, address) : 0);
}

/* Immediates may be addresses: of 64-bit mov, and in position-dependent files of any. */
static void see_numbers(struct patch_module *module, const struct patch_code *code)
{
	if (module->is_position_dependent) {
		patchsweep_name(module, (uint64_t)code->immediate);
		if (code->is_memory && !code->is_rip_relative)
			patchsweep_name(module, (uint64_t)(int64_t)code->displacement);
	} else if (code->map == 1 && (code->opcode & 0xf8) == 0xb8 && code->is_wide) {
		patchsweep_name(module, (uint64_t)code->immediate);
	}
}

static void patchsweep_see(struct visit *visit, uint64_t address, const struct patch_code *code)
{
	switch (code->kind) {
	case PATCH_CODE_RETURN:
		add_event(visit, address, PATCH_EVENT_RETURN, code->length, 0);
		break;
	case PATCH_CODE_JUMP:
	case PATCH_CODE_CONDITIONAL:
	case PATCH_CODE_LOOP:
		patchsweep_see_branch(visit, address, code);
		break;
	case PATCH_CODE_CALL:
		patchsweep_name(visit->share->module, patchcode_target(code, address));
		break;
	case PATCH_CODE_JUMP_INDIRECT:
		patchsweep_see_through(visit, address, code);
		break;
	case PATCH_CODE_UNSUPPORTED:
		visit->share->module->sweep->notes[visit->index] |= PATCH_SWEPT_UNSUPPORTED;
		break;
	default:
		if (code->is_rip_relative && code->opcode == 0x8d && code->map == 1)
			see_address(visit, address, code);
		else if (code->is_rip_relative && !patchcode_is_nop(code))
			patchsweep_see_data(visit->share->module, patchcode_operand(code, address));
	}
	see_numbers(visit->share->module, code);
}

/* Reads the flags, by its first bytes: jcc, setcc, cmovcc, adc, sbb.  False positives are
 * harmless. */
static bool patchsweep_reads_flags(const unsigned char *bytes, uint64_t left)
{
	unsigned at = left >= 4 && (bytes[0] & 0xf0) == 0x40;

	if (left < 4)
		return false;
	if (bytes[at] == 0x0f)
		return (bytes[at + 1] & 0xe0) == 0x80 || (bytes[at + 1] & 0xf0) == 0x40;
	if ((bytes[at] & 0xfc) == 0x80)
		return (bytes[at + 1] & 0x30) == 0x10;
	return (bytes[at] & 0xf0) == 0x70 || ((bytes[at] & 0xf0) == 0x10 && (bytes[at] & 7) < 6);
}

/* The flags that a function leaves are a result if its caller reads them right after the call. */
static void see_call(struct patch_module *module, const unsigned char *behind, uint64_t left,
		     uint64_t target)
{
	if (patchsweep_reads_flags(behind, left) && patchsweep_is_text(module, target))
		patchbits_set(module->sweep->flagged, target - module->targets_start);
}

static bool patchsweep_falls_through(const struct patch_code *last)
{
	switch (last->kind) {
	case PATCH_CODE_RETURN:
	case PATCH_CODE_JUMP:
	case PATCH_CODE_JUMP_INDIRECT:
	case PATCH_CODE_STOP:
	case PATCH_CODE_TRAP:
	case PATCH_CODE_CALL: /* of a function that does not return: nothing else can be last */
	case PATCH_CODE_CALL_INDIRECT:
	case PATCH_CODE_UNSUPPORTED:
		return false;
	default:
		return true;
	}
}

/* Bytes of the bitmap that are all within the function belong to no other thread. */
static void set_boundary(uint8_t *boundaries, uint64_t at, uint64_t first, uint64_t last)
{
	if (at / 8 == first / 8 || at / 8 == last / 8)
		patchbits_set(boundaries, at);
	else
		boundaries[at / 8] |= (uint8_t)(1u << at % 8);
}

/* Skip an instruction that needs no full decoding; 0 = it does. */
static unsigned skip(struct visit *visit, const unsigned char *bytes, uint64_t address,
		     uint64_t left)
{
	struct patch_module *module = visit->share->module;
	struct patch_code_skip code;
	unsigned length;

	if (left < PATCH_CODE_BYTES)
		return 0;
	length = patchcode_skip(bytes, &code);
	if (length)
		return_use_skip(&visit->share->use, address, &code, bytes, left);
	if (length && code.is_rip_relative)
		patchsweep_see_data(module,
				    address + length + (uint64_t)(int64_t)code.displacement);
	if (length && module->is_position_dependent)
		while (code.count > 0)
			patchsweep_name(module, (uint64_t)(int64_t)code.numbers[--code.count]);
	return length;
}

static bool patchsweep_is_direct(const struct patch_code *code)
{
	return code->kind == PATCH_CODE_CONDITIONAL || code->kind == PATCH_CODE_JUMP ||
	       code->kind == PATCH_CODE_CALL;
}

static void sweep_function(struct visit *visit)
{
	struct patch_module *module = visit->share->module;
	struct patch_function *function = visit->function;
	struct return_use *use = &visit->share->use;
	const unsigned char *bytes = patchmodule_at(module, function->address, function->size);
	uint64_t first = function->address - module->targets_start, at = 0;
	bool falls_through = false;
	struct patch_code code;

	if (!bytes)
		return;
	return_use_begin(use, module, function);
	visit->again = function->address + (patchcode_is_endbr(bytes, function->size) ? 4 : 0);
	for (; at < function->size; function->instructions++) {
		unsigned length =
			skip(visit, bytes + at, function->address + at, function->size - at);

		if (length == 0) {
			if (!patchcode_decode(bytes + at, function->size - at, &code))
				break;
			length = code.length;
			patchsweep_see(visit, function->address + at, &code);
			if (!patchsweep_is_direct(&code))
				return_use_see(use, function->address + at, &code);
			if (code.kind == PATCH_CODE_CALL)
				see_call(module, bytes + at + length, function->size - at - length,
					 patchcode_target(&code, function->address + at));
			if (!patchcode_is_nop(&code))
				falls_through = patchsweep_falls_through(&code);
		} else {
			falls_through = true;
		}
		set_boundary(module->sweep->boundaries, first + at, first,
			     first + function->size - 1);
		at += length;
	}
	if (at == function->size)
		module->sweep->notes[visit->index] |= PATCH_SWEPT_ALL;
	if (falls_through)
		module->sweep->notes[visit->index] |= PATCH_SWEPT_FALLS;
	if (use->is_found)
		module->sweep->notes[visit->index] |= PATCH_SWEPT_USES_RETURN;
}

static void *sweep_share(void *context)
{
	struct share *share = context;
	struct patch_module *module = share->module;

	for (uint32_t i = share->first; i < share->end; i++) {
		struct visit visit = {share, &module->functions[i], i, 0};

		module->sweep->first_events[i] = (uint32_t)share->event_count;
		sweep_function(&visit);
	}
	return NULL;
}

static uint64_t patchsweep_bytes_of(const struct patch_module *module, uint32_t first, uint32_t end)
{
	uint64_t bytes = 0;

	for (uint32_t i = first; i < end; i++)
		bytes += module->functions[i].size;
	return bytes;
}

static unsigned patchsweep_count_threads(const struct patch_module *module)
{
	uint64_t bytes = patchsweep_bytes_of(module, 0, (uint32_t)module->function_count);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t count = bytes / BYTES_PER_THREAD;

	if (processors > 0 && count > (uint64_t)processors)
		count = (uint64_t)processors;
	return count > THREADS_MAX ? THREADS_MAX : count > 0 ? (unsigned)count : 1;
}

static void patchsweep_divide(struct patch_module *module, struct share *shares, unsigned count)
{
	uint64_t bytes = patchsweep_bytes_of(module, 0, (uint32_t)module->function_count), sum = 0;
	uint64_t behind = 0; /* overlapping functions belong to one share */
	uint32_t at = 0;

	for (unsigned i = 0; i < count; i++) {
		shares[i].module = module;
		shares[i].first = at;
		for (; at < module->function_count; at++) {
			const struct patch_function *function = &module->functions[at];

			if (i + 1 < count && sum >= bytes / count * (i + 1) &&
			    function->address >= behind)
				break;
			sum += function->size;
			if (function->address + function->size > behind)
				behind = function->address + function->size;
		}
		shares[i].end = at;
	}
}

static void run_shares(struct share *shares, unsigned count)
{
	bool is_started[THREADS_MAX] = {false};

	for (unsigned i = 1; i < count; i++)
		is_started[i] =
			pthread_create(&shares[i].thread, NULL, sweep_share, &shares[i]) == 0;
	sweep_share(&shares[0]);
	for (unsigned i = 1; i < count; i++)
		if (is_started[i])
			pthread_join(shares[i].thread, NULL);
		else
			sweep_share(&shares[i]);
}

/* Concatenate the events of all threads; those of the first stay in place. */
static bool join_events(struct patch_module *module, struct share *shares, unsigned count)
{
	struct patch_sweep *sweep = module->sweep;
	size_t total = 0;

	for (unsigned i = 0; i < count; i++)
		total += shares[i].event_count;
	if (total > UINT32_MAX ||
	    !(sweep->events = realloc(shares[0].events, (total + 1) * sizeof(*sweep->events))))
		return false;
	shares[0].events = NULL;
	sweep->event_count = shares[0].event_count;
	for (unsigned i = 1; i < count; i++) {
		if (shares[i].event_count)
			memcpy(sweep->events + sweep->event_count, shares[i].events,
			       shares[i].event_count * sizeof(*sweep->events));
		for (uint32_t at = shares[i].first; at < shares[i].end; at++)
			sweep->first_events[at] += (uint32_t)sweep->event_count;
		sweep->event_count += shares[i].event_count;
	}
	sweep->first_events[module->function_count] = (uint32_t)total;
	return true;
}

enum kymo_status patchsweep_run(struct patch_module *module, struct problem *problem)
{
	struct patch_sweep *sweep = module->sweep;
	struct share shares[THREADS_MAX] = {0};
	unsigned count = patchsweep_count_threads(module);
	bool is_good;

	sweep->first_events = calloc(module->function_count + 1, sizeof(*sweep->first_events));
	if (!sweep->first_events)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	patchsweep_divide(module, shares, count);
	run_shares(shares, count);
	is_good = join_events(module, shares, count);
	for (unsigned i = 0; i < count; i++) {
		is_good &= !shares[i].is_short_of_memory;
		free(shares[i].events);
		free(shares[i].use.rows);
	}
	return is_good ? KYMO_OK : problem_set(problem, KYMO_MEMORY, "out of memory");
}

void patchsweep_free(struct patch_sweep *sweep)
{
	if (!sweep)
		return;
	patchimports_free(sweep->imports);
	patchindex_release(&sweep->functions);
	patchindex_release(&sweep->starts_of_fdes);
	free(sweep->fdes);
	free(sweep->boundaries);
	free(sweep->starts);
	free(sweep->taken);
	free(sweep->data);
	free(sweep->flagged);
	free(sweep->named);
	free(sweep->indirect);
	free(sweep->events);
	free(sweep->first_events);
	free(sweep->notes);
	free(sweep);
}

static int32_t distance_at(const unsigned char *bytes)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return distance;
}

/* What the bytes at address, left of them, could decode as: jcc, jmp, loop and call. */
static void mark_branch(struct patch_module *module, uint64_t address, const unsigned char *bytes,
			uint64_t left)
{
	uint8_t byte = bytes[0];

	if (left >= 2 && ((byte & 0xf0) == 0x70 || byte == 0xeb || (byte & 0xfc) == 0xe0))
		patchsweep_mark(module, address + 2 + (uint64_t)(int64_t)(int8_t)bytes[1]);
	if (left >= 5 && byte == 0xe9)
		patchsweep_mark(module, address + 5 + (uint64_t)(int64_t)distance_at(bytes + 1));
	if (left >= 5 && byte == 0xe8)
		patchsweep_name(module, address + 5 + (uint64_t)(int64_t)distance_at(bytes + 1));
	if (left >= 6 && byte == 0x0f && (bytes[1] & 0xf0) == 0x80)
		patchsweep_mark(module, address + 6 + (uint64_t)(int64_t)distance_at(bytes + 2));
	if (left >= 6 && byte == 0x8d && (bytes[1] & 0xc7) == 0x05)
		patchsweep_name(module, address + 6 + (uint64_t)(int64_t)distance_at(bytes + 2));
}

void patchsweep_superset(struct patch_module *module, uint64_t start, uint64_t end)
{
	const unsigned char *bytes = patchmodule_at(module, start, end - start);

	for (uint64_t at = 0; bytes && at < end - start; at++) {
		if (bytes[at] == 0xcc || bytes[at] == 0x90 || bytes[at] == 0)
			continue;
		mark_branch(module, start + at, bytes + at, end - start - at);
		if (module->is_position_dependent && end - start - at >= 4)
			patchsweep_name(module, (uint64_t)(int64_t)distance_at(bytes + at));
	}
}
