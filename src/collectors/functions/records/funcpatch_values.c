/* Arguments and return values of calls, as events of the trace.
 *
 * A thread stores its open calls: one that is below where another begins or ends was left by a
 * jump or an exception, or ended in another function.  Memory behind pointers is read by the
 * kernel, which returns an error where a program would fault. */
#include "collectors/functions/records/funcpatch_values.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/text/utf8.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "platform/code/rawmemory.h"
#include "runtime/callvalues.h"
#include "runtime/runtime.h"

#define OPEN_MAX 4096u

struct open {
	uint64_t slot;
	uint32_t region;
	uint16_t is_x87;
	const struct funcpatch_module *module;
	const struct values_function *function;
};

struct funcpatch_returns { /* of a thread */
	uint32_t depth;
	struct open calls[OPEN_MAX];
};

struct reading { /* values of one event */
	struct kymo_value values[VALUES_EACH_MAX + 1];
	char texts[VALUES_EACH_MAX + 1][VALUES_TEXT_BYTES + 8];
	unsigned count;
};

/* How many of size bytes could be read. */
static size_t values_peek(uint64_t address, void *out, size_t size)
{
	uint64_t local[2] = {(uint64_t)(uintptr_t)out, size}, remote[2] = {address, size};
	long got = raw_call6(SYS_process_vm_readv, raw_call(SYS_getpid, 0, 0, 0), (long)local, 1,
			     (long)remote, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* Bytes up to NUL, no more than fit, without truncated or invalid characters. */
static const char *text_at(uint64_t address, char *out)
{
	size_t page = 4096 - (address & 4095), want = VALUES_TEXT_BYTES + 1;
	size_t got = values_peek(address, out, page < want ? page : want);

	if (got > 0 && got < want && got == page && !memchr(out, 0, got))
		got += values_peek(address + got, out + got, want - got);
	if (got == 0)
		return NULL;
	if (got == want && !memchr(out, 0, got)) {
		memcpy(out + VALUES_TEXT_BYTES, "\xe2\x80\xa6", 4); /* … */
		for (size_t at = VALUES_TEXT_BYTES; at > VALUES_TEXT_BYTES - 4; at--)
			if (((unsigned char)out[at - 1] & 0xc0) == 0xc0)
				memcpy(out + at - 1, "\xe2\x80\xa6", 4);
	} else {
		out[got < want ? got : want - 1] = '\0';
	}
	for (char *at = out; *at;) {
		size_t step = utf8_step(at);

		if (step == 0 || (unsigned char)*at < ' ')
			*at = '?';
		at += step ? step : 1;
	}
	return out;
}

static int64_t extended(uint64_t bits, unsigned size, bool is_signed)
{
	unsigned shift = 64 - 8 * size;

	if (size >= 8)
		return (int64_t)bits;
	bits <<= shift;
	return is_signed ? (int64_t)bits >> shift : (int64_t)(bits >> shift);
}

/* "RED" of "RED=0;GREEN=1;" */
static const char *word_of(const char *words, int64_t number, char *out)
{
	while (*words) {
		const char *equals = strchr(words, '='), *end = equals ? strchr(equals, ';') : NULL;
		bool is_negative = equals && equals[1] == '-';
		uint64_t value = 0;

		if (!end)
			return NULL;
		for (const char *at = equals + 1 + is_negative; at < end; at++)
			value = value * 10 + (uint64_t)(*at - '0');
		if ((is_negative ? (int64_t)-value : (int64_t)value) == number &&
		    (size_t)(equals - words) < VALUES_TEXT_BYTES) {
			memcpy(out, words, (size_t)(equals - words));
			out[equals - words] = '\0';
			return out;
		}
		words = end + 1;
	}
	return NULL;
}

static void make_number(const struct values_value *from, uint64_t bits, struct kymo_value *to)
{
	bool is_signed = from->kind == VALUES_SIGNED || from->kind == VALUES_ENUM;

	to->type = is_signed ? KYMO_TYPE_SIGNED : KYMO_TYPE_UNSIGNED;
	to->as.number = extended(bits, from->size, is_signed);
	if (from->kind == VALUES_BOOL)
		to->as.natural &= 1;
}

static void make_float(const struct values_value *from, const void *bytes, struct kymo_value *to)
{
	long double wide;
	float narrow;

	to->type = KYMO_TYPE_FLOAT;
	if (from->size == 16) {
		memcpy(&wide, bytes, sizeof(wide));
		to->as.real = (double)wide;
	} else if (from->size == 4) {
		memcpy(&narrow, bytes, sizeof(narrow));
		to->as.real = (double)narrow;
	} else {
		memcpy(&to->as.real, bytes, sizeof(to->as.real));
	}
}

/* bytes: 8 of them, or 16 of a value of 16. */
static void funcpatch_values_add(struct reading *reading, const struct values *values,
				 const struct values_value *from, const void *bytes)
{
	struct kymo_value *to = &reading->values[reading->count];
	char *text = reading->texts[reading->count];
	const char *word = NULL;
	uint64_t bits;

	memcpy(&bits, bytes, sizeof(bits));
	to->name = values->texts + from->name;
	if (from->kind == VALUES_FLOAT) {
		make_float(from, bytes, to);
	} else if (from->kind == VALUES_POINTER) {
		to->type = KYMO_TYPE_POINTER;
		to->as.natural = bits;
	} else if (from->kind == VALUES_TEXT) {
		word = bits ? text_at(bits, text) : NULL;
		to->type = KYMO_TYPE_POINTER;
		to->as.natural = bits;
	} else {
		make_number(from, bits, to);
		if (from->kind == VALUES_ENUM)
			word = word_of(values->texts + from->words, to->as.number, text);
	}
	if (word) {
		to->type = KYMO_TYPE_TEXT;
		to->as.text = word;
	}
	reading->count++;
}

static void values_add_parameter(struct reading *reading, const struct funcpatch_call *call,
				 const struct values_value *value)
{
	unsigned place = value->place & VALUES_MASK;
	uint64_t bytes[2] = {0, 0};

	if (place < VALUES_VECTOR)
		bytes[0] = call->integers[place];
	else if (place < VALUES_STACK)
		bytes[0] = call->vectors[place - VALUES_VECTOR];
	else if (!values_peek(call->slot + 8 + 8 * (uint64_t)(place - VALUES_STACK), bytes,
			      value->size == 16 ? 16 : 8))
		return;
	if (value->place & VALUES_POINTED &&
	    values_peek(bytes[0], bytes, value->size) < value->size)
		return;
	funcpatch_values_add(reading, &call->module->values, value, bytes);
}

void funcpatch_values_begin(struct funcpatch_thread *self)
{
	if (self->returns)
		self->returns->depth = 0;
}

static struct funcpatch_returns *returns_of(struct funcpatch_thread *self)
{
	long got;

	if (self->returns)
		return self->returns;
	got = raw_map(0, sizeof(*self->returns), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (got > 0)
		self->returns = (struct funcpatch_returns *)got;
	return self->returns;
}

/* A call whose slot is reused was left, too. */
static void values_drop_left(struct funcpatch_thread *self, uint64_t slot, bool is_entered)
{
	struct funcpatch_returns *returns = self->returns;

	while (returns && returns->depth > 0) {
		const struct open *top = &returns->calls[returns->depth - 1];

		if (top->slot > slot || (top->slot == slot && !is_entered))
			return;
		kymo_call_event(self->thread, KYMO_EVENT_UNWIND, top->region, NULL, 0);
		returns->depth--;
	}
}

static uint32_t values_region_of(const struct funcpatch_call *call)
{
	struct kymo_region_spec spec = {.kind = KYMO_REGION_NATIVE,
					.name = call->module->values.texts + call->function->name};

	return kymo_region_intern(&spec);
}

static bool is_x87(const struct values *values, const struct values_function *function)
{
	const struct values_value *result = &values->values[function->first + function->count];

	return function->has_result && result->place == VALUES_X87;
}

static void values_open_call(struct funcpatch_call *call, uint32_t region)
{
	struct funcpatch_returns *returns = call->self->returns;
	struct open *open = &returns->calls[returns->depth++];

	open->slot = call->slot;
	open->region = region;
	open->module = call->module;
	open->function = call->function;
	open->is_x87 = is_x87(&call->module->values, call->function);
}

/* Its return address may be elsewhere, as when its trampoline calls it. */
static bool can_be_turned(const struct plan_function *function)
{
	return function->way == PLAN_WAY_CALL ||
	       (function->way == PLAN_WAY_EXITS && function->flags & PLAN_FUNCTION_CALLABLE);
}

void funcpatch_values_enter(void *argument)
{
	struct funcpatch_call *call = argument;
	const struct values_function *function = call->function;
	struct funcpatch_returns *returns = returns_of(call->self);
	struct reading reading = {.count = 0};
	uint32_t region = values_region_of(call);

	call->has_end = false;
	values_drop_left(call->self, call->slot, true);
	for (unsigned i = 0; i < function->count; i++)
		values_add_parameter(&reading, call,
				     &call->module->values.values[function->first + i]);
	call->has_end = returns && returns->depth < OPEN_MAX && function->is_ended &&
			can_be_turned(&call->module->applied.plan.functions[function->index]) &&
			funcpatch_values_turn(call->slot);
	if (call->has_end)
		values_open_call(call, region);
	kymo_call_event(call->self->thread, call->has_end ? KYMO_EVENT_ENTER : KYMO_EVENT_EXTENDED,
			region, reading.values, reading.count);
}

static const struct open *funcpatch_values_find(const struct funcpatch_thread *self, uint64_t slot)
{
	const struct funcpatch_returns *returns = self ? self->returns : NULL;

	for (uint32_t at = returns ? returns->depth : 0; at > 0; at--)
		if (returns->calls[at - 1].slot == slot)
			return &returns->calls[at - 1];
	return NULL;
}

bool funcpatch_values_is_x87(const struct funcpatch_thread *self, uint64_t slot)
{
	const struct open *open = funcpatch_values_find(self, slot);

	return open && open->is_x87;
}

void funcpatch_values_leave(void *argument)
{
	struct funcpatch_return *result = argument;
	struct reading reading = {.count = 0};
	const struct values_value *value;
	const struct values *values;
	const struct open *open;

	values_drop_left(result->self, result->slot, false);
	open = funcpatch_values_find(result->self, result->slot);
	if (!open)
		return;
	values = &open->module->values;
	value = &values->values[open->function->first + open->function->count];
	if (open->function->has_result && value->place == VALUES_X87)
		funcpatch_values_add(&reading, values, value, result->x87);
	else if (open->function->has_result)
		funcpatch_values_add(&reading, values, value,
				     value->place == VALUES_VECTOR ? &result->vector
								   : &result->integer);
	kymo_call_event(result->self->thread, KYMO_EVENT_LEAVE, open->region, reading.values,
			reading.count);
	result->self->returns->depth--;
}
