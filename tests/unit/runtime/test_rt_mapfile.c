/* The growing mapping: content kept, refusals harmless, the program's descriptors safe. */
#include "platform/files/mapfile.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "platform/usage.h"
#include "runtime_fixture.h"

#define PAGE	     UINT64_C(4096)
#define LITTLE_BYTES (UINT64_C(1) << 30)

static char path[300];

static struct mapfile created(void)
{
	struct mapfile file;

	snprintf(path, sizeof(path), "%s/file", fixture_directory);
	CHECK(mapfile_create(&file, path) == 0);
	return file;
}

static uint64_t size_of(const char *name)
{
	struct stat status;

	CHECK(stat(name, &status) == 0);
	return (uint64_t)status.st_size;
}

static void grows_in_place(void)
{
	struct mapfile file = created();
	char *base = file.base;

	errno = 1234;
	CHECK(mapfile_grow(&file, PAGE) == 0);
	memset(file.base, 'a', PAGE);
	CHECK(mapfile_grow(&file, 1000 * PAGE) == 0);
	mapfile_populate(&file, PAGE, 999 * PAGE);
	CHECK(errno == 1234);
	CHECK(file.base == base && base[PAGE - 1] == 'a' && base[PAGE] == 0);
	CHECK(size_of(path) == 1000 * PAGE);
	CHECK(mapfile_grow(&file, PAGE) == 0); /* never shrinks */
	CHECK(file.mapped == 1000 * PAGE);
	base[999 * PAGE] = 'z';
	CHECK(mapfile_truncate(&file, 2 * PAGE) == 0);
	CHECK(size_of(path) == 2 * PAGE);
	base[PAGE] = 'b';
	mapfile_release(&file);
	CHECK(size_of(path) == 2 * PAGE);
}

static void existing_file_is_kept(void)
{
	struct mapfile file;
	int fd;

	snprintf(path, sizeof(path), "%s/file", fixture_directory);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	CHECK(write(fd, "data", 4) == 4);
	CHECK(mapfile_create(&file, path) == EEXIST);
	CHECK(size_of(path) == 4);
}

static void beyond_the_reservation(void)
{
	struct mapfile file = created();

	CHECK(mapfile_grow(&file, PAGE) == 0);
	CHECK(mapfile_grow(&file, (UINT64_C(256) << 30) + PAGE) != 0);
	CHECK(file.mapped == PAGE && size_of(path) == PAGE);
}

static int exceeded; /* SIGXFSZ that reached the program */

static void count_exceeded(int number)
{
	(void)number;
	exceeded++;
}

static void limit_file_size(uint64_t bytes)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};

	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* A refusal changes nothing and raises nothing, whatever the program does with the signal. */
static void file_size_limit(void)
{
	struct mapfile file = created();

	CHECK(mapfile_grow(&file, 4 * PAGE) == 0);
	limit_file_size(8 * PAGE);
	CHECK(mapfile_grow(&file, 16 * PAGE) == EFBIG); /* the default would end us */
	signal(SIGXFSZ, count_exceeded);
	CHECK(mapfile_grow(&file, 16 * PAGE) == EFBIG);
	CHECK(exceeded == 0);
	CHECK(file.mapped == 4 * PAGE && size_of(path) == 4 * PAGE);
	CHECK(mapfile_grow(&file, 8 * PAGE) == 0);
	file.base[8 * PAGE - 1] = 1;
}

/* A signal that the program has blocked and that was pending before stays pending. */
static void pending_signal_is_the_programs(void)
{
	struct mapfile file = created();
	sigset_t set, pending;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGXFSZ);
	limit_file_size(PAGE);
	CHECK(mapfile_grow(&file, 2 * PAGE) == EFBIG);
	sigpending(&pending);
	CHECK(sigismember(&pending, SIGXFSZ));
	sigprocmask(SIG_BLOCK, NULL, &set);
	CHECK(sigismember(&set, SIGXFSZ));
}

/* The program closes all descriptors and gets our number for a file of its own. */
static void foreign_descriptor(void)
{
	struct mapfile file = created();
	char other[300];
	int fd;

	CHECK(mapfile_grow(&file, PAGE) == 0);
	snprintf(other, sizeof(other), "%s/other", fixture_directory);
	fd = open(other, O_CREAT | O_RDWR, 0600);
	CHECK(dup2(fd, file.fd) == file.fd);
	CHECK(mapfile_grow(&file, 2 * PAGE) == 0);
	CHECK(mapfile_truncate(&file, PAGE) == 0);
	CHECK(size_of(other) == 0 && size_of(path) == PAGE);
	close(file.fd);
	CHECK(mapfile_grow(&file, 3 * PAGE) == 0);
	dup2(fd, file.fd);
	mapfile_release(&file);
	CHECK(fcntl(fd, F_GETFD) >= 0);
}

static void vanished_file(void)
{
	struct mapfile file = created();

	CHECK(mapfile_grow(&file, PAGE) == 0);
	CHECK(unlink(path) == 0);
	CHECK(mapfile_grow(&file, 2 * PAGE) == 0); /* the descriptor still has it */
	close(file.fd);
	CHECK(mapfile_grow(&file, 3 * PAGE) == ENOENT);
	close(open(path, O_CREAT | O_RDWR, 0600));
	CHECK(mapfile_grow(&file, 3 * PAGE) == ESTALE);
	CHECK(size_of(path) == 0);
	file.base[2 * PAGE - 1] = 1;
}

/* The program closes all descriptors and takes every number there is. */
static void no_descriptor_left(void)
{
	struct mapfile file = created();
	struct rlimit few = {64, 64};

	CHECK(mapfile_grow(&file, 3 * PAGE) == 0);
	close(file.fd);
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	while (dup(2) >= 0)
		;
	CHECK(mapfile_grow(&file, 4 * PAGE) == EMFILE);
	CHECK(file.mapped == 3 * PAGE && size_of(path) == 3 * PAGE);
	CHECK(mapfile_truncate(&file, PAGE) == 0); /* needs none */
	CHECK(size_of(path) == PAGE);
	CHECK(unlink(path) == 0);
	CHECK(symlink("/dev/null", path) == 0);
	CHECK(mapfile_truncate(&file, 0) == ESTALE);
}

static void descriptor_is_out_of_the_way(void)
{
	struct mapfile file = created();
	struct rlimit few = {8, 8};

	CHECK(file.fd >= 64);
	CHECK(fcntl(file.fd, F_GETFD) & FD_CLOEXEC);
	mapfile_release(&file);
	unlink(path);
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	file = created(); /* with few numbers it takes what there is */
	CHECK(file.fd < 8);
	CHECK(mapfile_grow(&file, PAGE) == 0);
}

static void little_address_space(void)
{
	struct rlimit limit = {LITTLE_BYTES, RLIM_INFINITY};
	struct mapfile file;

	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	file = created();
	CHECK(file.reserved <= LITTLE_BYTES / 8);
	CHECK(mapfile_grow(&file, PAGE) == 0);
	CHECK(mapfile_grow(&file, file.reserved + PAGE) == ENOMEM);
}

/* What it may grow to is not taken from the program. */
static void counts_what_is_used(void)
{
	uint64_t before = usage_memory_bytes(USAGE_VIRTUAL_BYTES), after;
	struct mapfile file = created();

	CHECK(file.is_remote && file.reserved > LITTLE_BYTES);
	CHECK(mapfile_grow(&file, 16 * PAGE) == 0);
	after = usage_memory_bytes(USAGE_VIRTUAL_BYTES);
	CHECK(after >= before + 16 * PAGE && after < before + LITTLE_BYTES);
	mapfile_release(&file);
	CHECK(usage_memory_bytes(USAGE_VIRTUAL_BYTES) < before + 16 * PAGE);
}

/* Who comes to a place that was not taken yet stays there. */
static void somebody_in_the_way(void)
{
	struct mapfile file = created();
	char *stranger;

	CHECK(file.is_remote);
	CHECK(mapfile_grow(&file, 2 * PAGE) == 0);
	stranger = mmap(file.base + 3 * PAGE, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stranger == file.base + 3 * PAGE);
	*stranger = 'x';
	CHECK(mapfile_grow(&file, 8 * PAGE) == EEXIST);
	CHECK(file.mapped == 2 * PAGE);
	CHECK(mapfile_grow(&file, 3 * PAGE) == 0);
	mapfile_release(&file);
	CHECK(*stranger == 'x');
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(grows_in_place)
CASE(existing_file_is_kept)
CASE(beyond_the_reservation)
CASE(file_size_limit)
CASE(pending_signal_is_the_programs)
CASE(foreign_descriptor)
CASE(vanished_file)
CASE(no_descriptor_left)
CASE(descriptor_is_out_of_the_way)
CASE(counts_what_is_used)
CASE(somebody_in_the_way)

static void test_little_address_space(void **state)
{
	(void)state;
	if (usage_memory_bytes(USAGE_VIRTUAL_BYTES) > LITTLE_BYTES / 2)
		skip(); /* a sanitizer's shadow does not fit */
	fixture_run(little_address_space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows_in_place),
		cmocka_unit_test(test_existing_file_is_kept),
		cmocka_unit_test(test_beyond_the_reservation),
		cmocka_unit_test(test_file_size_limit),
		cmocka_unit_test(test_pending_signal_is_the_programs),
		cmocka_unit_test(test_foreign_descriptor),
		cmocka_unit_test(test_vanished_file),
		cmocka_unit_test(test_no_descriptor_left),
		cmocka_unit_test(test_descriptor_is_out_of_the_way),
		cmocka_unit_test(test_little_address_space),
		cmocka_unit_test(test_counts_what_is_used),
		cmocka_unit_test(test_somebody_in_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
