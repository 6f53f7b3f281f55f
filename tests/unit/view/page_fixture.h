/* A page of a synthetic recording: its sections one by one, and what their elements hold.
 * Include cmocka.h before. */
#ifndef KYMO_PAGE_FIXTURE_H
#define KYMO_PAGE_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/gzip_reader.h"
#include "model/profile/loaded_run.h"
#include "synthetic.h"
#include "view/page.h"
#include "view/page_out.h"
#include "view/page_samples.h"

#define SECTION(name) extern const struct page_section page_##name##_section;
#include "view/page_sections.def"
#undef SECTION

struct page_fixture { /* a recording on disk, loaded, with all that a section is given */
	char path[64];
	struct loaded_run *loaded;
	struct page page;
};

/* Frees the recording that was made. */
static inline void page_fixture_open(struct page_fixture *fixture, struct synthetic *synthetic)
{
	struct page *page = &fixture->page;
	struct problem problem;
	int file;

	*fixture = (struct page_fixture){.path = "/tmp/kymo-page-XXXXXX"};
	file = mkstemp(fixture->path);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(synthetic_write(synthetic, fixture->path), 0);
	synthetic_free(synthetic);
	assert_int_equal(loaded_run_open(fixture->path, NULL, &fixture->loaded, &problem), KYMO_OK);
	page->loaded = fixture->loaded;
	page->options.timeline_bytes = PAGE_TIMELINE_BYTES;
	page->options.sampled.weight = fixture->loaded->weight;
	page->samples = page_samples_open(page->loaded, &page->options.sampled);
	assert_non_null(page->samples);
	assert_int_equal(activities_new(page->loaded, &page->activities), KYMO_OK);
	assert_int_equal(source_lines_new(page->loaded, &page->options.sampled, &page->lines),
			 KYMO_OK);
	assert_int_equal(run_facts_new(page->loaded, &page->facts), KYMO_OK);
	assert_int_equal(
		region_union_new(page->loaded->trees, page->loaded->tree_count, &page->regions),
		KYMO_OK);
	assert_int_equal(flat_view_new(page->loaded->trees, page->loaded->tree_count, page->regions,
				       KYMO_NO_THREAD, &page->flat),
			 KYMO_OK);
}

static inline void page_fixture_close(struct page_fixture *fixture)
{
	flat_view_free(fixture->page.flat);
	region_union_free(fixture->page.regions);
	run_facts_free(fixture->page.facts);
	source_lines_free(fixture->page.lines);
	activities_free(fixture->page.activities);
	page_samples_close(fixture->page.samples, fixture->loaded);
	loaded_run_free(fixture->loaded);
	unlink(fixture->path);
}

static inline uint32_t page_fixture_region(struct synthetic *made, const char *name, uint32_t line)
{
	uint32_t region = synthetic_region(made, KYMO_REGION_PYTHON, name);
	uint64_t file = synthetic_string(made, "/nowhere/a.py");

	synthetic_region_at(made, region)->file = file;
	synthetic_region_at(made, region)->line = line;
	return region;
}

/* Microseconds as the recording has times. */
#define US(count) (UINT64_C(1000) * (count))

/* Regions of that union: 0 = threads, MAIN, WORK, OUTSIDE, MEASURING.  In 20 us main is open for
 * 12, and in it work twice, for 3 and 5. */
enum { MAIN = 1, WORK, OUTSIDE, MEASURING };

static inline struct synthetic *page_fixture_calls(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);

	assert_int_equal(page_fixture_region(made, "main", 3), MAIN);
	assert_int_equal(page_fixture_region(made, "work", 10), WORK);
	synthetic_header(made)->pid = 77;
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, MAIN, US(2));
	synthetic_enter(made, 0, WORK, US(3));
	synthetic_leave(made, 0, WORK, US(6));
	synthetic_enter(made, 0, WORK, US(7));
	synthetic_leave(made, 0, WORK, US(12));
	synthetic_leave(made, 0, MAIN, US(14));
	return made;
}

/* The elements of one section; the caller frees the text. */
static inline char *page_fixture_write(const struct page_fixture *fixture,
				       const struct page_section *section)
{
	char *text = NULL;
	size_t length;
	struct page_out out = {.out = open_memstream(&text, &length)};

	assert_non_null(out.out);
	section->write(&fixture->page, &out);
	fclose(out.out);
	return text;
}

/* Write a section of a recording of its own. */
static inline char *page_fixture_section(struct synthetic *made, uint64_t end_ns,
					 const struct page_section *section)
{
	struct page_fixture fixture;
	char *text;

	synthetic_close(made, end_ns);
	page_fixture_open(&fixture, made);
	text = page_fixture_write(&fixture, section);
	page_fixture_close(&fixture);
	return text;
}

static inline void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in: %s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("%s in: %s", part, text);
}

struct page_blob_read { /* a blob as it was before it was compressed */
	unsigned char bytes[65536];
	size_t size, at;
};

static inline bool page_blob_take(void *context, const void *data, size_t size)
{
	struct page_blob_read *blob = context;

	assert_true(size <= sizeof(blob->bytes) - blob->size);
	memcpy(blob->bytes + blob->size, data, size);
	blob->size += size;
	return true;
}

static inline size_t page_blob_decode(const char *text, unsigned char *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = 0, bits = 0;
	size_t size = 0;

	for (; *text != '<' && *text != '='; text++) {
		const char *digit = strchr(digits, *text);

		assert_non_null(digit);
		word = word << 6 | (uint32_t)(digit - digits);
		bits += 6;
		if (bits >= 8)
			bytes[size++] = (unsigned char)(word >> (bits -= 8));
	}
	return size;
}

/* The blob of a name in what was written. */
static inline struct page_blob_read page_blob_of(const char *text, const char *name)
{
	struct page_blob_read blob = {.size = 0};
	unsigned char *packed = malloc(strlen(text) + 1);
	struct problem problem;
	char mark[64];
	const char *at, *end;
	size_t size;

	snprintf(mark, sizeof(mark), "id=\"kymo-%s\"", name);
	at = strstr(text, mark);
	assert_non_null(at);
	assert_non_null(packed);
	end = strchr(at, '>');
	size = page_blob_decode(end + 1, packed);
	if (memmem(at, (size_t)(end - at), "gzip", 4))
		assert_int_equal(gzip_unpack(packed, size, name, page_blob_take, &blob, &problem),
				 KYMO_OK);
	else
		page_blob_take(&blob, packed, size);
	free(packed);
	return blob;
}

static inline uint64_t page_blob_number(struct page_blob_read *blob)
{
	uint64_t number = 0;
	unsigned int shift = 0;

	for (;; shift += 7) {
		assert_true(blob->at < blob->size && shift < 64);
		number |= (uint64_t)(blob->bytes[blob->at] & 0x7f) << shift;
		if (!(blob->bytes[blob->at++] & 0x80))
			return number;
	}
}

static inline void page_blob_expect(struct page_blob_read *blob, const uint64_t *numbers,
				    size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(page_blob_number(blob), numbers[i]);
}

/* The next numbers of a blob. */
#define EXPECT_NUMBERS(blob, ...)                                                                  \
	page_blob_expect(blob, (const uint64_t[]){__VA_ARGS__},                                    \
			 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define EXPECT_END(blob) assert_int_equal((blob)->at, (blob)->size)

#endif
