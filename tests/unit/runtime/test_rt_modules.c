/* The modules in a recording, beside what the loader says of them. */
#include "runtime/modules.h"

#include <dlfcn.h>
#include <link.h>

#include "platform/modulescan.h"
#include "runtime/hot.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime_fixture.h"

/* Not needed by anything here, and part of every C library. */
#define LATE_LIBRARY "libanl.so.1"

static int some_data = 1;

/* The n-th record in the recording; NULL behind the last. */
static const struct kymo_module *module_at(size_t n)
{
	for (uint64_t offset = KYMO_HEADER_SIZE; offset < store.header->end;) {
		const struct kymo_chunk *chunk =
			(const struct kymo_chunk *)(store.file.base + offset);

		if (chunk->type == KYMO_CHUNK_MODULES) {
			if (n < chunk->used / sizeof(struct kymo_module))
				return (const struct kymo_module *)(chunk + 1) + n;
			n -= chunk->used / sizeof(struct kymo_module);
		}
		offset += chunk->size;
	}
	return NULL;
}

static size_t module_count(void)
{
	size_t count = 0;

	while (module_at(count))
		count++;
	return count;
}

static const struct kymo_module *module_of(const void *address)
{
	const struct kymo_module *module;

	for (size_t i = 0; (module = module_at(i)) != NULL; i++)
		if ((uintptr_t)address >= module->start && (uintptr_t)address < module->end)
			return module;
	return NULL;
}

static int check_object(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size, (void)unused;
	if (strstr(object->dlpi_name, "vdso"))
		return 0;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		const char *start = (const char *)(object->dlpi_addr + segment->p_vaddr);
		const struct kymo_module *module;

		if (segment->p_type != PT_LOAD || segment->p_memsz == 0)
			continue;
		module = module_of(start);
		CHECK(module && module == module_of(start + segment->p_memsz - 1));
		CHECK(module->bias == object->dlpi_addr);
	}
	return 0;
}

static void all_that_the_loader_knows(void)
{
	const struct kymo_module *own;
	Dl_info info;

	fixture_open(NULL);
	kymo_modules_record();
	CHECK(dl_iterate_phdr(check_object, NULL) == 0);
	own = module_of(&some_data);
	CHECK(own && strstr(string_text(own->path), "test_rt_modules"));
	CHECK(own->ticks >= store.header->start_ticks);
	CHECK(dladdr((const void *)lockf, &info));
	CHECK(strstr(string_text(module_of((const void *)lockf)->path), "libc"));
}

static void anything_else_is_none(void)
{
	void *heap = malloc(100);
	int stack;

	fixture_open(NULL);
	kymo_modules_record();
	CHECK(module_count() > 1);
	CHECK(!module_of(heap) && !module_of(&stack));
	for (size_t i = 0; i < module_count(); i++)
		CHECK(string_text(module_at(i)->path)[0] == '/');
	free(heap);
}

/* The build id as the linker left it in this program. */
static int take_build_id(struct dl_phdr_info *object, size_t size, void *text)
{
	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const char *at = (const char *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
		const char *end = at + object->dlpi_phdr[i].p_memsz;

		if (object->dlpi_phdr[i].p_type != PT_NOTE)
			continue;
		while (at + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			const unsigned char *desc =
				(const unsigned char *)(note + 1) + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID)
				for (unsigned k = 0; k < note->n_descsz; k++)
					sprintf((char *)text + 2 * k, "%02x", desc[k]);
			at = (const char *)desc + ((note->n_descsz + 3) & ~3u);
		}
	}
	return 1; /* the program is the first */
}

static void build_ids_are_told(void)
{
	char expected[256] = "";
	const struct kymo_module *own;

	fixture_open(NULL);
	kymo_modules_record();
	own = module_of(&some_data);
	dl_iterate_phdr(take_build_id, expected);
	if (!expected[0]) { /* a linker that writes none */
		CHECK(own->build_id == 0);
		return;
	}
	CHECK(own->build_id && !strcmp(string_text(own->build_id), expected));
}

static void they_are_written_once(void)
{
	size_t count;

	fixture_open(NULL);
	modules_note_address((uintptr_t)&some_data); /* nobody asked for modules yet */
	CHECK(module_count() == 0);
	kymo_modules_record();
	count = module_count();
	CHECK(count > 1);
	kymo_modules_record();
	modules_note_address((uintptr_t)&some_data);
	modules_note_address(16);
	CHECK(module_count() == count);
}

static void nothing_is_looked_for_before_the_first_address(void)
{
	fixture_open(NULL);
	kymo_modules_watch();
	CHECK(module_count() == 0);
	modules_note_address((uintptr_t)&some_data);
	CHECK(module_count() > 1 && module_of(&some_data));
}

static void they_are_looked_for_before_it_is_too_late(void)
{
	fixture_open(NULL);
	modules_prepare(); /* nobody asked */
	CHECK(module_count() == 0);
	kymo_modules_watch();
	modules_prepare();
	CHECK(module_count() > 1);
}

static void what_is_loaded_later_is_found(void)
{
	const struct kymo_module *late;
	void *library, *address;
	size_t count;

	fixture_open(NULL);
	kymo_modules_record();
	count = module_count();
	library = dlopen(LATE_LIBRARY, RTLD_NOW);
	CHECK(library);
	address = (void *)((struct link_map *)library)->l_ld;
	CHECK(!module_of(address));
	modules_note_address((uintptr_t)address);
	late = module_of(address);
	CHECK(module_count() == count + 1 && late);
	CHECK(late->bias == ((struct link_map *)library)->l_addr);
	CHECK(strstr(string_text(late->path), "libanl"));
}

static void a_forked_child_has_them(void)
{
	size_t count;
	int status = -1;
	pid_t child;

	fixture_open(NULL);
	kymo_modules_record();
	count = module_count();
	CHECK(kymo_thread()->record);
	child = fork();
	if (child == 0) {
		CHECK(kymo_thread()->record);
		CHECK(module_count() == count);
		CHECK(strstr(string_text(module_of(&some_data)->path), "test_rt_modules"));
		kymo_modules_record();
		CHECK(module_count() == count);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void count_one(const struct modulescan_found *found, void *count)
{
	CHECK(found->start < found->end && found->path[0] == '/');
	++*(size_t *)count;
}

/* Descriptors of the program's limit: nothing is found, nothing breaks, and it is noted. */
static void without_descriptors(void)
{
	size_t count = 0, notes;

	fixture_open(NULL);
	CHECK(modulescan(count_one, &count) == 0 && count > 1);
	while (dup(0) >= 0)
		;
	notes = store.stream[KYMO_CHUNK_NOTES]->used;
	kymo_modules_record();
	kymo_modules_record();
	CHECK(module_count() == 0);
	CHECK(store.stream[KYMO_CHUNK_NOTES]->used > notes);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(all_that_the_loader_knows)
CASE(anything_else_is_none)
CASE(build_ids_are_told)
CASE(they_are_written_once)
CASE(nothing_is_looked_for_before_the_first_address)
CASE(they_are_looked_for_before_it_is_too_late)
CASE(what_is_loaded_later_is_found)
CASE(a_forked_child_has_them)
CASE(without_descriptors)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_that_the_loader_knows),
		cmocka_unit_test(test_anything_else_is_none),
		cmocka_unit_test(test_build_ids_are_told),
		cmocka_unit_test(test_they_are_written_once),
		cmocka_unit_test(test_nothing_is_looked_for_before_the_first_address),
		cmocka_unit_test(test_they_are_looked_for_before_it_is_too_late),
		cmocka_unit_test(test_what_is_loaded_later_is_found),
		cmocka_unit_test(test_a_forked_child_has_them),
		cmocka_unit_test(test_without_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
