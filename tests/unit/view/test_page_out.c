/* Elements of a page: nothing in them ends them, and bytes come back as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/xalloc.h"
#include "view/page_fixture.h"
#include "view/page_out.h"

struct written {
	struct page_out out;
	char *text;
	size_t length;
};

static struct page_out *written_begin(struct written *written)
{
	*written = (struct written){.text = NULL};
	written->out.out = open_memstream(&written->text, &written->length);
	assert_non_null(written->out.out);
	return &written->out;
}

static void written_end(struct written *written)
{
	fclose(written->out.out);
}

static void test_json_cannot_end_its_element(void **state)
{
	struct written written;
	struct page_out *out = written_begin(&written);

	(void)state;
	json_text(page_json_begin(out, "x"), "a</script><b> \"\\\n");
	page_json_end(out);
	written_end(&written);
	assert_string_equal(written.text, "<script type=\"application/json\" id=\"kymo-x\">"
					  "\"a\\u003c/script>\\u003cb> \\\"\\\\\\\\n\"</script>\n");
	free(written.text);
}

static void test_numbers_have_seven_bits_a_byte(void **state)
{
	struct textbuf bytes = {0};

	(void)state;
	page_varint(&bytes, 0);
	page_varint(&bytes, 127);
	page_varint(&bytes, 128);
	page_varint(&bytes, UINT64_MAX);
	assert_int_equal(bytes.length, 1 + 1 + 2 + 10);
	assert_memory_equal(bytes.data, "\0\x7f\x80\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 14);
	textbuf_release(&bytes);
}

static void test_times_are_rounded_and_never_negative(void **state)
{
	struct textbuf bytes = {0};

	(void)state;
	page_time(&bytes, 1.4);
	page_time(&bytes, 1.5);
	page_time(&bytes, -3);
	assert_int_equal(bytes.length, 3);
	assert_memory_equal(bytes.data, "\1\2\0", 3);
	textbuf_release(&bytes);
}

static void test_signed_numbers_alternate(void **state)
{
	struct textbuf bytes = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		page_signed(&bytes, i);
		page_signed(&bytes, -i);
	}
	assert_int_equal(bytes.length, 6);
	assert_memory_equal(bytes.data, "\0\0\2\1\4\3", 6);
	textbuf_release(&bytes);
}

static void test_texts_are_cleaned_and_have_the_cleaned_length(void **state)
{
	struct textbuf bytes = {0};

	(void)state;
	page_text(&bytes, "a\x1b[b");
	assert_int_equal(bytes.length, 1 + 7);
	assert_memory_equal(bytes.data, "\7a\\x1b[b", 8);
	textbuf_release(&bytes);
}

static void test_bytes_come_back_from_base64(void **state)
{
	(void)state;
	for (size_t size = 0; size < 8; size++) {
		struct page_blob_read blob;
		struct written written;
		struct page_out *out = written_begin(&written);
		struct textbuf bytes = {0};

		textbuf_bytes(&bytes, "\xff\x00\x7f\x80<>=", size);
		page_blob(out, "b", &bytes);
		assert_int_equal(bytes.length, 0);
		written_end(&written);
		blob = page_blob_of(written.text, "b");
		assert_int_equal(blob.size, size);
		assert_memory_equal(blob.bytes, "\xff\x00\x7f\x80<>=", size);
		free(written.text);
		textbuf_release(&bytes);
	}
}

static void test_packed_bytes_are_written_as_they_are(void **state)
{
	struct written written;
	struct page_out *out = written_begin(&written);

	(void)state;
	page_packed_blob(out, "b", (const unsigned char *)"Many", 4);
	written_end(&written);
	assert_string_equal(written.text, "<script type=\"application/octet-stream\" id=\"kymo-b\" "
					  "data-coding=\"gzip\">TWFueQ==</script>\n");
	free(written.text);
}

static void write_lost_bytes(void *out)
{
	struct textbuf bytes = {.has_failed = true};

	page_blob(out, "b", &bytes);
}

static void test_blob_of_lost_bytes_is_refused(void **state)
{
	struct written written;
	struct page_out *out = written_begin(&written);

	(void)state;
	assert_false(xalloc_run(write_lost_bytes, out));
	written_end(&written);
	assert_int_equal(written.length, 0);
	free(written.text);
}

static void test_markup_is_escaped(void **state)
{
	struct written written;

	(void)state;
	page_escape(written_begin(&written)->out, "a<b> & \"c\"\n");
	written_end(&written);
	assert_string_equal(written.text, "a&lt;b&gt; &amp; &quot;c&quot;\\n");
	free(written.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_cannot_end_its_element),
		cmocka_unit_test(test_numbers_have_seven_bits_a_byte),
		cmocka_unit_test(test_times_are_rounded_and_never_negative),
		cmocka_unit_test(test_signed_numbers_alternate),
		cmocka_unit_test(test_texts_are_cleaned_and_have_the_cleaned_length),
		cmocka_unit_test(test_bytes_come_back_from_base64),
		cmocka_unit_test(test_packed_bytes_are_written_as_they_are),
		cmocka_unit_test(test_blob_of_lost_bytes_is_refused),
		cmocka_unit_test(test_markup_is_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
