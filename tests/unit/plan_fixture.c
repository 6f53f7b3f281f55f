/* A plan that is made of code of the test program itself, put into place and run. */
#include "plan_fixture.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "patch/analyse/patchprocessor.h"
#include "patch/plan/planmake.h"
#include "patch/read/planread.h"

#define PAGE 4096u

__thread struct patch_thread_state fixture_hot
	__attribute__((aligned(64), tls_model("initial-exec")));
uint8_t fixture_records[FIXTURE_RECORDS];
uint32_t fixture_left[FIXTURE_FUNCTIONS + 8];
uint64_t fixture_clock;
struct fixture_slow fixture_slow[256];
unsigned fixture_slow_count;
bool fixture_is_wanted, fixture_makes_ready, fixture_is_late;
static bool is_marked; /* the records that the plan writes */
static uint8_t *kept;  /* the cursor, while it is closed */

static bool is_closed(void)
{
	return (uintptr_t)fixture_hot.cursor >= PATCH_CURSOR_CLOSED;
}

void fixture_pause(uint64_t state)
{
	fixture_hot.state = state;
	if (!is_marked || is_closed())
		return;
	kept = fixture_hot.cursor;
	fixture_hot.cursor = (uint8_t *)(uintptr_t)PATCH_CURSOR_CLOSED;
}

/* So long ago that a record says the time itself, unless there was no record for long. */
static uint64_t latest(void)
{
	return is_marked ? fixture_clock : fixture_is_late ? 0 : __builtin_ia32_rdtsc() - 8192;
}

static void make_ready(void)
{
	fixture_hot.state = PATCH_STATE_READY;
	fixture_hot.last = latest();
	if (is_marked && is_closed())
		fixture_hot.cursor = kept;
}

/* Slow routines: what they promise is to keep all but rax, rcx, rdx and the flags. */

__attribute__((used, visibility("hidden"))) uint64_t
fixture_slow_called(uint64_t index, uint64_t slot, uint64_t is_exit);
uint64_t fixture_slow_called(uint64_t index, uint64_t slot, uint64_t is_exit)
{
	if (fixture_slow_count < 256)
		fixture_slow[fixture_slow_count++] =
			(struct fixture_slow){(uint32_t)index, slot, is_exit != 0};
	if (fixture_hot.state > PATCH_STATE_MAX) { /* no room behind a record */
		fixture_hot.cursor = fixture_records;
		fixture_hot.state = PATCH_STATE_READY;
	}
	if (fixture_makes_ready)
		make_ready();
	if (!is_exit && fixture_is_wanted)
		fixture_hot.timed = slot;
	return fixture_is_wanted;
}

void fixture_slow_enter(void);
void fixture_slow_exit(void);

#define FRAME                                                                                      \
	"	push %rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset %rbp, -16\n"                            \
	"	mov %rsp, %rbp\n	.cfi_def_cfa_register %rbp\n"

__asm__(".text\n"
	"fixture_slow_exit: .cfi_startproc\n" FRAME
	"	push %r8\n	mov $1, %r8d\n	jmp fixture_slow_both\n	.cfi_endproc\n"
	"fixture_slow_enter: .cfi_startproc\n" FRAME "	push %r8\n	xor %r8d, %r8d\n"
	"fixture_slow_both:\n"
	"	push %rdi\n	push %rsi\n	push %r9\n	push %r10\n	push %r11\n"
	"	sub $600, %rsp\n	and $-64, %rsp\n	fxsave64 (%rsp)\n"
	"	mov %eax, %edi\n	mov %rdx, %rsi\n	mov %r8, %rdx\n"
	"	call fixture_slow_called\n"
	"	fxrstor64 (%rsp)\n"
	"	lea -48(%rbp), %rsp\n"
	"	pop %r11\n	pop %r10\n	pop %r9\n	pop %rsi\n	pop %rdi\n"
	"	pop %r8\n	pop %rbp\n	.cfi_def_cfa %rsp, 8\n	.cfi_restore %rbp\n"
	"	ret\n	.cfi_endproc\n");

static int find_frames(struct dl_phdr_info *info, size_t size, void *context)
{
	struct fixture *fixture = context;
	const uint8_t *header = NULL;
	uint64_t end = 0;
	int32_t distance;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];

		if (phdr->p_type == PT_GNU_EH_FRAME)
			header = (const uint8_t *)(info->dlpi_addr + phdr->p_vaddr);
	}
	for (int i = 0; header && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type == PT_LOAD && (uint64_t)header >= start &&
		    (uint64_t)header < start + phdr->p_filesz)
			end = start + phdr->p_filesz;
	}
	assert_non_null(header);
	memcpy(&distance, header + 4, sizeof(distance));
	fixture->module.frames = (struct cfi_section){
		.header = header,
		.header_size = end - (uint64_t)header,
		.header_address = (uint64_t)header,
		.frames = header + 4 + distance,
		.frames_size = end - (uint64_t)(header + 4 + distance),
		.frames_address = (uint64_t)(header + 4 + distance),
	};
	return 1; /* the program itself comes first */
}

void fixture_init(struct fixture *fixture, void *start, void *end)
{
	struct patch_module *module = &fixture->module;

	memset(fixture, 0, sizeof(*fixture));
	fixture->text_size = (size_t)((char *)end - (char *)start);
	assert_int_equal(fixture->text_size % PAGE, 0);
	fixture->text = malloc(fixture->text_size);
	memcpy(fixture->text, start, fixture->text_size);
	fixture->segment = (struct patch_segment){(uint64_t)start, fixture->text_size, 0,
						  fixture->text_size, PF_R | PF_X};
	module->path = (char *)(uintptr_t) "fixture";
	module->processor = &patchprocessor_x86_64;
	module->bytes = fixture->text;
	module->size = fixture->text_size;
	module->segments = &fixture->segment;
	module->segment_count = 1;
	module->image_start = (uint64_t)start;
	module->image_end = (uint64_t)end;
	module->functions = fixture->functions;
	module->exits = fixture->exits;
	dl_iterate_phdr(find_frames, fixture);
}

uint32_t fixture_function(struct fixture *fixture, const void *start, const void *end,
			  enum plan_way way, unsigned displaced, bool ends)
{
	uint32_t number = (uint32_t)fixture->module.function_count++;

	fixture->functions[number] = (struct patch_function){
		.address = (uint64_t)start,
		.size = (uint64_t)end - (uint64_t)start,
		.name = "",
		.way = way,
		.entry = {.way = PATCH_ENTRY_JUMP,
			  .displaced = (uint8_t)displaced,
			  .ends = ends,
			  .at = (uint64_t)start},
		.first_exit = (uint32_t)fixture->module.exit_count,
	};
	return number;
}

void fixture_exit(struct fixture *fixture, enum patch_exit_kind kind, const void *at,
		  const void *instruction, unsigned code, unsigned displaced)
{
	uint32_t number = (uint32_t)fixture->module.function_count - 1;

	fixture->exits[fixture->module.exit_count++] =
		(struct patch_exit){.at = (uint64_t)at,
				    .instruction = (uint64_t)instruction,
				    .displaced = (uint8_t)displaced,
				    .code = (uint8_t)code,
				    .kind = (uint8_t)kind,
				    .function = number};
	fixture->functions[number].exit_count++;
}

static void map(struct fixture *fixture)
{
	const struct plan_header *header = fixture->plan.header;
	struct patch_vector *vector;
	uint8_t *region;

	fixture->region_size = header->frames_address - header->code_address + header->frames_size +
			       header->header_size;
	region = mmap((void *)header->code_address, fixture->region_size,
		      PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		      -1, 0);
	assert_ptr_equal(region, (void *)header->code_address);
	fixture->region = region;
	memcpy(region, fixture->plan.code, header->code_size);
	memcpy((void *)header->frames_address, fixture->plan.frames, header->frames_size);
	memcpy((void *)(header->frames_address + header->frames_size), fixture->plan.frames_header,
	       header->header_size);
	vector = (struct patch_vector *)header->vector_address;
	fixture->gate = (struct patch_switch *)header->switch_address;
	*vector = (struct patch_vector){
		.thread_offset = (uint64_t)&fixture_hot - (uint64_t)__builtin_thread_pointer(),
		.first_id = FIXTURE_FIRST_ID,
		.first_id_head = (uint64_t)FIXTURE_FIRST_ID
				 << (is_marked ? PATCH_MARKED_ID_SHIFT : PATCH_ENTER_ID_SHIFT),
		.first_id_left = FIXTURE_FIRST_ID * 4,
		.clock = (uint64_t)&fixture_clock,
		.slow_enter = (uint64_t)fixture_slow_enter,
		.slow_exit = (uint64_t)fixture_slow_exit,
	};
}

static void map_mirror(struct patch_vector *vector)
{
	uint64_t stack = (uint64_t)__builtin_frame_address(0) & ~UINT64_C(0xffffff);
	uint64_t start = stack - 0x1000000;
	void *mirror = (void *)(start ^ UINT64_C(1) << PATCH_SHADOW_BIT);

	mmap(mirror, 0x3000000, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	vector->shadow_start = start;
}

void fixture_apply(struct fixture *fixture, enum patch_cost cost, bool no_calls)
{
	struct planmake_options options = {.kind = {cost, fixture->variant}, .no_calls = no_calls};
	struct problem problem = {""};
	enum kymo_status status;

	is_marked = PATCH_IS_MARKED(cost);
	/* Somewhere below the program; the file's addresses are those of the process.  Not where
	 * the lower 32 bits are zero: libgcc takes a registered frame description that begins there
	 * for that of a function that the linker left out. */
	options.code_address = (fixture->module.image_start & ~0xfffffffull) - 0xffff000;
	status = plan_make(&fixture->module, &options, &fixture->bytes, &fixture->size, &problem);
	if (status != KYMO_OK)
		fail_msg("%s", problem.text);
	assert_true(plan_read(fixture->bytes, fixture->size, false, &fixture->plan));
	map(fixture);
	map_mirror((struct patch_vector *)fixture->plan.header->vector_address);
	assert_int_equal(mprotect((void *)fixture->module.image_start, fixture->text_size,
				  PROT_READ | PROT_WRITE | PROT_EXEC),
			 0);
	for (uint64_t i = 0; i < fixture->plan.header->write_count; i++) {
		const struct plan_write *write = &fixture->plan.writes[i];

		void *place = (void *)plan_write_address(fixture->plan.header, write);

		assert_memory_equal(place, write->before, write->size);
		memcpy(place, write->after, write->size);
	}
	fixture_reset();
}

void fixture_release(struct fixture *fixture)
{
	if (fixture->region) {
		memcpy((void *)fixture->module.image_start, fixture->text, fixture->text_size);
		munmap(fixture->region, fixture->region_size);
	}
	free(fixture->bytes);
	free(fixture->text);
	memset(fixture, 0, sizeof(*fixture));
}

void fixture_reset(void)
{
	memset(&fixture_hot, 0, sizeof(fixture_hot));
	memset(fixture_records, 0, sizeof(fixture_records));
	memset(fixture_left, 0, sizeof(fixture_left));
	for (unsigned i = 0; i < FIXTURE_FUNCTIONS; i++)
		fixture_left[FIXTURE_FIRST_ID + i] = 1000;
	fixture_hot.cursor = fixture_records;
	fixture_hot.limit = fixture_records + FIXTURE_RECORDS - PATCH_RECORD_MAX;
	fixture_hot.left = fixture_left;
	fixture_is_late = false;
	fixture_hot.last = latest();
	fixture_slow_count = 0;
	fixture_is_wanted = fixture_makes_ready = false;
}

static uint64_t bits(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

static unsigned marked_events(struct fixture_event *events, unsigned max)
{
	const uint8_t *at = fixture_records, *end = is_closed() ? kept : fixture_hot.cursor;
	unsigned count = 0;

	for (; at < end && count < max; count++) {
		uint64_t record = bits(at, (*at & 1) ? 4 : 2);

		assert_int_equal(record & 3, (record & 1) ? 1 : 2);
		events[count] = (struct fixture_event){
			.is_exit = !(record & 1),
			.slot = record >> PATCH_MARKED_SLOT_SHIFT & PATCH_SLOT_MASK,
			.index = (uint32_t)(record >> PATCH_MARKED_ID_SHIFT) - FIXTURE_FIRST_ID};
		if (events[count].is_exit)
			assert_int_equal(record >> 12, 0);
		at += (record & 1) ? PATCH_MARKED_ENTER_BYTES : PATCH_MARKED_EXIT_BYTES;
	}
	assert_ptr_equal(at, end);
	return count;
}

static unsigned timed_events(struct fixture_event *events, unsigned max)
{
	const uint8_t *at = fixture_records;
	unsigned count = 0;

	for (; at < fixture_hot.cursor && count < max; count++) {
		struct fixture_event *event = &events[count];
		uint64_t record = bits(at, (*at & 1) ? PATCH_ENTER_BYTES : PATCH_EXIT_BYTES);
		uint64_t all_ones;

		memset(event, 0, sizeof(*event));
		event->is_exit = !(record & 1);
		if (event->is_exit) {
			assert_int_equal(record & 3, 2);
			event->ticks = (record >> 2) & 4095;
			all_ones = 4095;
			event->slot = (uint32_t)(record >> PATCH_EXIT_SLOT_SHIFT);
			at += PATCH_EXIT_BYTES;
		} else {
			event->ticks = (record >> 1) & 511;
			all_ones = 511;
			event->slot = (record >> PATCH_ENTER_SLOT_SHIFT) & PATCH_SLOT_MASK;
			event->index =
				(uint32_t)(record >> PATCH_ENTER_ID_SHIFT) - FIXTURE_FIRST_ID;
			at += PATCH_ENTER_BYTES;
		}
		event->is_long = event->ticks == all_ones;
		if (event->is_long) {
			event->ticks = bits(at, 8);
			at += PATCH_TIME_BYTES;
		}
	}
	assert_ptr_equal(at, fixture_hot.cursor);
	return count;
}

unsigned fixture_events(struct fixture_event *events, unsigned max)
{
	return (is_marked ? marked_events : timed_events)(events, max);
}

const char *fixture_text(void)
{
	static char text[4096];
	struct fixture_event events[512];
	unsigned count = fixture_events(events, 512);
	size_t size = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < count; i++) {
		if (events[i].is_exit)
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%s-",
						 i ? " " : "");
		else
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%s+%u",
						 i ? " " : "", events[i].index);
	}
	return text;
}
