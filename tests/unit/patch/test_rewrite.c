/* Rewriting files: this very program, with one of its functions led through a trampoline that
 * adds whether the switch is off to what it returns. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "patch/apply/patchapply.h"
#include "patch/rewrite/rewrite.h"
#include "patch/rewrite/rewritehead.h"

#define ANSWER_BYTES 10u

int rewrite_answer(void);
__asm__(".text\n.p2align 4\n.globl rewrite_answer\n.type rewrite_answer, @function\n"
	"rewrite_answer:\n.cfi_startproc\nmov $41, %eax\nnop\nnop\nnop\nnop\nret\n.cfi_endproc\n"
	".size rewrite_answer, . - rewrite_answer\n");

struct made_plan {
	_Alignas(16) struct plan_header header;
	_Alignas(16) struct plan_function functions[1];
	_Alignas(16) struct plan_write writes[1];
	_Alignas(16) uint32_t fixups[4];
	_Alignas(16) unsigned char frames[56];
	_Alignas(16) char names[32];
	_Alignas(4096) unsigned char code[4096];
};

static struct made_plan *made;
static struct plan plan;
static char folder[] = "/tmp/kymo-rewrite-XXXXXX";
static char output[128];

extern const char __ehdr_start[];

static uint64_t own_address(const void *place)
{
	return (uint64_t)((uintptr_t)place - (uintptr_t)__ehdr_start);
}

static void put32(unsigned char *at, uint64_t value)
{
	uint32_t low = (uint32_t)value;

	memcpy(at, &low, sizeof(low));
}

/* movzbl switch(%rip), %eax ; add $41, %eax ; jmp behind the jump */
static void make_code(uint64_t code, uint64_t gate, uint64_t function)
{
	static const unsigned char bytes[] = {0x0f, 0xb6, 0x05, 0, 0, 0, 0, 0x83,
					      0xc0, 0x29, 0xe9, 0, 0, 0, 0};

	memset(made->code, 0xcc, sizeof(made->code));
	memcpy(made->code, bytes, sizeof(bytes));
	put32(made->code + 3, gate - (code + 7));
	put32(made->code + 11, function + 5 - (code + 15));
	made->fixups[0] = 11;
}

/* One common entry and one description: the return address on top of the stack. */
static void make_frames(uint64_t frames, uint64_t code)
{
	static const unsigned char bytes[56] = {20,   0, 0, 0,	  0,  0, 0,    0,    1, 'z',
						'R',  0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8,
						0x90, 1, 0, 0,	  24, 0, 0,    0,    28};

	memcpy(made->frames, bytes, sizeof(bytes));
	put32(made->frames + 32, code - (frames + 32));
	put32(made->frames + 36, 16);
}

static void make_plan(uint64_t image_end)
{
	uint64_t code = image_end + (1u << 30), function = own_address((void *)rewrite_answer);
	struct plan_header *header;

	free(made);
	made = aligned_alloc(4096, sizeof(*made));
	assert_non_null(made);
	memset(made, 0, sizeof(*made));
	header = &made->header;
	*header = (struct plan_header){
		.magic = PLAN_MAGIC,
		.version = PLAN_VERSION,
		.machine = EM_X86_64,
		.cost = PATCH_COST_FULL,
		.size = sizeof(*made),
		.image_end = image_end,
		.text_end = image_end,
		.code_address = code,
		.code_size = sizeof(made->code),
		.code_offset = offsetof(struct made_plan, code),
		.vector_address = code + sizeof(made->code),
		.switch_address = code + sizeof(made->code) + PATCH_SWITCH_DISTANCE,
		.functions_offset = offsetof(struct made_plan, functions),
		.function_count = 1,
		.writes_offset = offsetof(struct made_plan, writes),
		.write_count = 1,
		.fixups_offset = offsetof(struct made_plan, fixups),
		.fixup_count = 1,
		.frames_offset = offsetof(struct made_plan, frames),
		.frames_size = sizeof(made->frames),
		.header_offset = offsetof(struct made_plan, frames),
		.names_offset = offsetof(struct made_plan, names),
		.names_size = sizeof(made->names),
	};
	header->frames_address = header->switch_address + PATCH_SWITCH_SIZE;
	strcpy(made->names + 1, "rewrite_answer");
	made->functions[0] = (struct plan_function){.address = function,
						    .size = ANSWER_BYTES,
						    .name = 1,
						    .write_count = 1,
						    .way = PLAN_WAY_ENTRIES};
	made->writes[0] =
		(struct plan_write){.place = (uint32_t)function, .size = 5, .distance_at = 1};
	memcpy(made->writes[0].before, "\xb8\x29\0\0\0", 5);
	made->writes[0].after[0] = 0xe9;
	put32(made->writes[0].after + 1, code - (function + 5));
	make_code(code, header->switch_address, function);
	make_frames(header->frames_address, code);
	header->checksum = plan_checksum(made, sizeof(*made));
	assert_true(plan_read(made, sizeof(*made), false, &plan));
}

static unsigned char *read_whole(const char *path, size_t *size_out)
{
	FILE *stream = fopen(path, "rb");
	unsigned char *bytes;
	long size;

	assert_non_null(stream);
	fseek(stream, 0, SEEK_END);
	size = ftell(stream);
	rewind(stream);
	bytes = malloc((size_t)size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, stream), size);
	fclose(stream);
	*size_out = (size_t)size;
	return bytes;
}

static void write_whole(const char *path, const unsigned char *bytes, size_t size)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	fclose(stream);
	chmod(path, 0755);
}

static uint64_t image_end_of(const char *path)
{
	uint64_t end = 0;
	size_t size;
	unsigned char *bytes = read_whole(path, &size);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)(const void *)bytes;
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)(const void *)(bytes + ehdr->e_phoff);

	for (unsigned i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD)
			end = phdr[i].p_vaddr + phdr[i].p_memsz;
	free(bytes);
	return (end + 4095) & ~(uint64_t)4095;
}

static char itself[512];

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(output, sizeof(output), "%s/out", folder);
	make_plan(image_end_of(itself));
	return 0;
}

static int tear_down(void **state)
{
	char command[160];

	(void)state;
	free(made);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static int answer_of(const char *path)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execl(path, path, "answer", (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void rewritten_program_runs_through_its_trampoline(void **state)
{
	struct rewrite_result result;
	struct problem problem = {""};
	struct stat info;

	(void)state;
	assert_int_equal(answer_of(itself), 41);
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, NULL, &result, &problem),
			 KYMO_OK);
	assert_int_equal(result.taken, 1);
	assert_int_equal(result.refused, 0);
	assert_int_equal(stat(output, &info), 0);
	assert_int_equal(info.st_size, result.size_after);
	assert_true(info.st_mode & 0111);
	assert_int_equal(answer_of(output), 42); /* 41 and the switch, which is off */
}

static void head_leads_to_the_plan(void **state)
{
	static const char *const environment[] = {"KYMO_TRACE=ON", "A=b c"};
	const struct rewrite_options options = {environment, 2};
	struct rewrite_found found = {0};
	struct problem problem;
	size_t size;
	unsigned char *bytes;

	(void)state;
	assert_false(rewrite_find(itself, &found));
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, &options, NULL, &problem),
			 KYMO_OK);
	assert_true(rewrite_find(output, &found));
	assert_int_equal(found.cost, PATCH_COST_FULL);
	assert_int_equal(found.taken, 1);
	assert_int_equal(found.environment_size, 20);
	assert_memory_equal(found.environment, "KYMO_TRACE=ON\0A=b c\0", 21);
	rewrite_found_release(&found);
	bytes = read_whole(output, &size);
	for (size_t at = 0; at + sizeof(struct rewrite_head) <= size; at += 4096) {
		struct rewrite_head head;
		struct plan read;
		unsigned char *copy;

		memcpy(&head, bytes + at, sizeof(head));
		/* The file may have a copy of that text elsewhere, too. */
		if (memcmp(head.magic, REWRITE_MAGIC, 8) != 0 || head.plan_size > size ||
		    head.plan_offset > size - head.plan_size)
			continue;
		copy = aligned_alloc(16, head.plan_size);
		memcpy(copy, bytes + at + head.plan_offset, head.plan_size);
		assert_true(plan_read(copy, head.plan_size, false, &read));
		assert_int_equal(read.header->function_count, 1);
		assert_int_equal(read.header->code_address,
				 head.address + head.plan_offset + read.header->code_offset);
		assert_string_equal(read.names + read.functions[0].name, "rewrite_answer");
		assert_int_equal(bytes[at + head.choice_offset], CHOICE_TAKEN);
		free(copy);
		free(bytes);
		return;
	}
	fail_msg("no head in '%s'", output);
}

static void refusals_leave_nothing_behind(void **state)
{
	static const char *const wrong[] = {"=x"};
	const struct rewrite_options options = {wrong, 1};
	const uint8_t none[1] = {CHOICE_LEFT};
	struct problem problem;
	char again[160];

	(void)state;
	unlink(output);
	assert_int_equal(rewrite_file(itself, itself, &plan, NULL, NULL, NULL, &problem),
			 KYMO_USAGE);
	assert_non_null(strstr(problem.text, "is the input itself"));
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, &options, NULL, &problem),
			 KYMO_USAGE);
	assert_int_equal(rewrite_file(itself, output, &plan, none, NULL, NULL, &problem),
			 KYMO_ERROR);
	assert_non_null(strstr(problem.text, "nothing to write"));
	assert_int_equal(rewrite_file("/dev/null", output, &plan, NULL, NULL, NULL, &problem),
			 KYMO_FORMAT);
	assert_int_equal(rewrite_file("/no/such", output, &plan, NULL, NULL, NULL, &problem),
			 KYMO_SYSTEM);
	assert_int_not_equal(access(output, F_OK), 0);
	assert_int_equal(
		rewrite_file(itself, "/no/such/folder/x", &plan, NULL, NULL, NULL, &problem),
		KYMO_SYSTEM);
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, NULL, NULL, &problem), KYMO_OK);
	snprintf(again, sizeof(again), "%s.again", output);
	assert_int_equal(rewrite_file(output, again, &plan, NULL, NULL, NULL, &problem),
			 KYMO_FORMAT);
	assert_non_null(strstr(problem.text, "instrumented already"));
	assert_int_not_equal(access(again, F_OK), 0);
}

static void text_that_differs_is_left_alone(void **state)
{
	struct rewrite_result result;
	struct problem problem;
	char changed[160];
	unsigned char *bytes;
	size_t size;

	(void)state;
	snprintf(changed, sizeof(changed), "%s.changed", output);
	bytes = read_whole(itself, &size);
	for (size_t i = 0; i + 10 < size; i++)
		if (memcmp(bytes + i, "\xb8\x29\0\0\0\x90\x90\x90\x90\xc3", 10) == 0)
			bytes[i + 1] = 40;
	write_whole(changed, bytes, size);
	free(bytes);
	assert_int_equal(answer_of(changed), 40);
	unlink(output);
	assert_int_equal(rewrite_file(changed, output, &plan, NULL, NULL, &result, &problem),
			 KYMO_ERROR);
	assert_int_not_equal(access(output, F_OK), 0);
}

static void cut_files_are_refused(void **state)
{
	struct problem problem;
	unsigned char *bytes;
	char cut[160];
	size_t size;

	(void)state;
	snprintf(cut, sizeof(cut), "%s.cut", output);
	bytes = read_whole(itself, &size);
	for (size_t left = 0; left < size; left += size / 23) {
		write_whole(cut, bytes, left);
		unlink(output);
		assert_int_not_equal(rewrite_file(cut, output, &plan, NULL, NULL, NULL, &problem),
				     KYMO_OK);
		assert_int_not_equal(access(output, F_OK), 0);
	}
	free(bytes);
}

static void appended_data_stays_at_the_end(void **state)
{
	struct problem problem;
	unsigned char *bytes;
	char longer[160];
	size_t size;

	(void)state;
	snprintf(longer, sizeof(longer), "%s.longer", output);
	bytes = read_whole(itself, &size);
	bytes = realloc(bytes, size + 9);
	memcpy(bytes + size, "appended!", 9);
	write_whole(longer, bytes, size + 9);
	free(bytes);
	assert_int_equal(rewrite_file(longer, output, &plan, NULL, NULL, NULL, &problem), KYMO_OK);
	bytes = read_whole(output, &size);
	assert_memory_equal(bytes + size - 9, "appended!", 9);
	free(bytes);
	assert_int_equal(answer_of(output), 42);
}

/* In the rewritten program: the collector's pages are laid over vector and switch. */
static int adopt_segment(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct patch_vector vector = {.first_id = 77};
	const ElfW(Phdr) *last = NULL;
	struct patch_applied applied;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			last = &info->dlpi_phdr[i];
	if (!last || patchapply_adopt(&applied, (const void *)(info->dlpi_addr + last->p_vaddr),
				      last->p_memsz, &vector) != 0)
		return 1;
	if (applied.vector->first_id != 77 || applied.gate->is_off != 1)
		return 1;
	applied.gate->is_off = 3;
	*(bool *)context = true;
	return 1; /* the program itself comes first */
}

static void collector_takes_over_a_rewritten_program(void **state)
{
	struct problem problem;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, NULL, NULL, &problem), KYMO_OK);
	child = fork();
	if (child == 0) {
		execl(output, output, "adopt", (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 44 << 8);
}

int main(int argc, char **argv)
{
	bool is_adopted = false;

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewritten_program_runs_through_its_trampoline),
		cmocka_unit_test(head_leads_to_the_plan),
		cmocka_unit_test(refusals_leave_nothing_behind),
		cmocka_unit_test(text_that_differs_is_left_alone),
		cmocka_unit_test(cut_files_are_refused),
		cmocka_unit_test(appended_data_stays_at_the_end),
		cmocka_unit_test(collector_takes_over_a_rewritten_program),
	};

	if (argc > 1 && strcmp(argv[1], "adopt") == 0) {
		dl_iterate_phdr(adopt_segment, &is_adopted);
		return is_adopted ? rewrite_answer() : 1;
	}
	if (argc > 1)
		return rewrite_answer();
	if (readlink("/proc/self/exe", itself, sizeof(itself) - 1) < 0 || !argv[0])
		return 1;
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
