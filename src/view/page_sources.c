/* Section "sources": the files with what was measured on their lines; blobs "source-N" with their
 * texts.
 *
 * Files whose text fits are whole; of others there are parts around the measured lines.  A blob has
 * the parts in order, each ends with a newline. */
#include <stdlib.h>
#include <string.h>

#include "base/text/plaintext.h"
#include "command/xalloc.h"
#include "model/samples/sampled_lines.h"
#include "model/sources/source_text.h"
#include "view/page.h"
#include "view/page_out.h"

#define FILES_MAX      4000u
#define WHOLE_BYTES    (UINT64_C(256) << 10) /* of one file */
#define ALL_WHOLE      (UINT64_C(768) << 10) /* of all files that are whole */
#define ALL_BYTES      (UINT64_C(3) << 20)   /* of all texts */
/* Around a measured line, and from the start of a function. */
#define LINES_AROUND   8u
#define LINES_FUNCTION 40u

struct part { /* lines first to last */
	uint32_t first, last;
};

struct writer {
	const struct page *page;
	struct page_out *out;
	struct json_writer *json;
	uint64_t whole_bytes, bytes;
	struct textbuf *texts; /* of the blobs, in their order */
	size_t text_count;
};

static uint32_t count_lines(const struct source_text *text)
{
	uint32_t count = 0;

	for (size_t i = 0; i < text->size; i++)
		count += text->text[i] == '\n';
	return count + (text->size > 0 && text->text[text->size - 1] != '\n');
}

static int by_first(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

static struct part around(uint32_t line, uint32_t before, uint32_t after, uint32_t line_count)
{
	return (struct part){line > before ? line - before : 1,
			     line_count - line > after ? line + after : line_count};
}

/* Merge overlapping ones. */
static struct part *find_parts(const struct source_file *file, uint32_t line_count,
			       size_t *count_out)
{
	struct part *parts = xcalloc(file->line_count + file->function_count + 1, sizeof(*parts));
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < file->line_count; i++) {
		if (file->lines[i].line <= line_count)
			parts[count++] =
				around(file->lines[i].line, LINES_AROUND, LINES_AROUND, line_count);
	}
	for (size_t i = 0; i < file->function_count; i++) {
		uint32_t line = file->functions[i].line;

		if (line > 0 && line <= line_count)
			parts[count++] = around(line, 2, LINES_FUNCTION, line_count);
	}
	if (count > 0)
		qsort(parts, count, sizeof(*parts), by_first);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && parts[i].first <= parts[kept - 1].last + 1) {
			if (parts[kept - 1].last < parts[i].last)
				parts[kept - 1].last = parts[i].last;
		} else {
			parts[kept++] = parts[i];
		}
	}
	*count_out = kept;
	return parts;
}

static void put_parts(struct textbuf *bytes, const struct source_text *text,
		      const struct part *parts, size_t count)
{
	const char *at = text->text, *end = text->text + text->size;
	uint32_t line = 1;

	for (size_t i = 0; i < count; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *next = newline ? newline + 1 : end;

		if (line >= parts[i].first) {
			plaintext_add(bytes, at, (size_t)(next - at), "\t\r\n");
			if (!newline)
				textbuf_char(bytes, '\n');
		}
		i += line == parts[i].last;
		at = next;
	}
}

/* Store the text as a blob; false: it does not fit. */
static bool sources_add_text(struct writer *writer, const struct source_text *text,
			     const struct part *parts, size_t count)
{
	struct textbuf *bytes = &writer->texts[writer->text_count];

	put_parts(bytes, text, parts, count);
	if (writer->bytes + bytes->length > ALL_BYTES) {
		textbuf_release(bytes);
		return false;
	}
	writer->bytes += bytes->length;
	writer->text_count++;
	return true;
}

static void sources_write_parts(struct json_writer *json, const struct part *parts, size_t count)
{
	json_key(json, "parts");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++) {
		json_begin_array(json);
		json_count(json, parts[i].first);
		json_count(json, parts[i].last);
		json_end_array(json);
	}
	json_end_array(json);
}

static void sources_write_text(struct writer *writer, const struct source_file *file,
			       const struct source_text *text)
{
	uint32_t line_count = count_lines(text);
	bool is_whole = text->size <= WHOLE_BYTES && writer->whole_bytes + text->size <= ALL_WHOLE;
	size_t count = line_count > 0, number = writer->text_count;
	struct part whole = {1, line_count};
	struct part *parts = is_whole ? &whole : find_parts(file, line_count, &count);

	if (count > 0 && sources_add_text(writer, text, parts, count)) {
		writer->whole_bytes += is_whole ? text->size : 0;
		json_pair_count(writer->json, "blob", number);
		json_pair_count(writer->json, "line_count", line_count);
		sources_write_parts(writer->json, parts, count);
	}
}

static uint64_t sources_whole_ns(double ns)
{
	return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

/* [line, is Python, samples, self, total, Python, native, system, waiting] */
static void sources_write_line(struct json_writer *json, const struct sampled_line *line)
{
	json_begin_array(json);
	json_count(json, line->line);
	json_count(json, line->is_python);
	json_count(json, line->count);
	json_count(json, sources_whole_ns(line->self_ns));
	json_count(json, sources_whole_ns(line->total_ns));
	json_count(json, sources_whole_ns(line->python_ns));
	json_count(json, sources_whole_ns(line->native_ns));
	json_count(json, sources_whole_ns(line->kernel_ns));
	json_count(json, sources_whole_ns(line->wait_ns));
	json_end_array(json);
}

static void write_measured(struct json_writer *json, const struct source_file *file)
{
	json_key(json, "lines");
	json_begin_array(json);
	for (size_t i = 0; i < file->line_count; i++)
		sources_write_line(json, &file->lines[i]);
	json_end_array(json);
	json_key(json, "functions"); /* [line, region] */
	json_begin_array(json);
	for (size_t i = 0; i < file->function_count; i++) {
		json_begin_array(json);
		json_count(json, file->functions[i].line);
		json_count(json, file->functions[i].region);
		json_end_array(json);
	}
	json_end_array(json);
}

static void sources_write_file(struct writer *writer, const struct source_file *file)
{
	struct json_writer *json = writer->json;
	struct source_text text = {0};

	if (!writer->page->options.has_no_sources)
		xneed(source_text_read(writer->page->loaded, file,
				       writer->page->options.wants_sources, &text) == KYMO_OK);
	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "name", file->name);
	json_pair_count(json, "self", sources_whole_ns(file->self_ns));
	json_pair_text(json, "state",
		       writer->page->options.has_no_sources ? "left out"
							    : source_state_word(text.state));
	if (text.is_younger)
		json_pair_bool(json, "is_younger", true);
	if (text.text)
		sources_write_text(writer, file, &text);
	write_measured(json, file);
	json_end_object(json);
	source_text_release(&text);
}

static void sources_write_files(struct writer *writer, const struct source_files *files)
{
	struct json_writer *json = writer->json;
	size_t count = files->count < FILES_MAX ? files->count : FILES_MAX;

	json_begin_object(json);
	json_pair_count(json, "total", sources_whole_ns(writer->page->lines->total_ns));
	json_pair_number(json, "effective_count", writer->page->lines->effective_count);
	json_pair_count(json, "more", files->count - count);
	json_key(json, "files");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		sources_write_file(writer, &files->files[i]);
	json_end_array(json);
	json_end_object(json);
}

static void write_texts(struct writer *writer)
{
	for (size_t i = 0; i < writer->text_count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "source-%zu", i);
		page_blob(writer->out, name, &writer->texts[i]);
	}
}

static void write_with(struct writer *writer, const struct source_files *files)
{
	writer->texts = xcalloc(files->count + 1, sizeof(*writer->texts));
	writer->json = page_json_begin(writer->out, "sources");
	sources_write_files(writer, files);
	page_json_end(writer->out);
	write_texts(writer);
	for (size_t i = 0; i < files->count; i++)
		textbuf_release(&writer->texts[i]);
}

static void write_sources(const struct page *page, struct page_out *out)
{
	struct writer writer = {.page = page, .out = out};
	struct source_files *files;

	xneed(source_files_new(page->loaded, page->regions, page->flat, page->lines, &files) ==
	      KYMO_OK);
	if (files->count > 0)
		write_with(&writer, files);
	source_files_free(files);
}

const struct page_section page_sources_section = {.write = write_sources};
