/* Growing texts.  Capacity doubles; after the first failed allocation the buffer is unchanged and
 * textbuf_take() reports it, so that callers need not check every append. */
#include "base/text/textbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool textbuf_reserve(struct textbuf *buffer, size_t more)
{
	size_t needed = buffer->length + more + 1, capacity = buffer->capacity;
	char *data;

	if (buffer->has_failed)
		return false;
	if (needed <= capacity)
		return true;
	if (capacity == 0)
		capacity = 64;
	while (capacity < needed && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	data = capacity < needed || more >= SIZE_MAX / 2 ? NULL : realloc(buffer->data, capacity);
	if (data == NULL) {
		buffer->has_failed = true;
		return false;
	}
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

void textbuf_bytes(struct textbuf *buffer, const char *bytes, size_t length)
{
	if (!textbuf_reserve(buffer, length))
		return;
	if (length > 0)
		memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
}

void textbuf_text(struct textbuf *buffer, const char *text)
{
	textbuf_bytes(buffer, text, strlen(text));
}

void textbuf_char(struct textbuf *buffer, char character)
{
	textbuf_bytes(buffer, &character, 1);
}

void textbuf_format(struct textbuf *buffer, const char *format, ...)
{
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	if (length < 0) {
		buffer->has_failed = true;
	} else if (textbuf_reserve(buffer, (size_t)length)) {
		vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
		buffer->length += (size_t)length;
	}
	va_end(again);
	va_end(arguments);
}

void textbuf_clear(struct textbuf *buffer)
{
	buffer->length = 0;
	buffer->has_failed = false;
	if (buffer->data != NULL)
		buffer->data[0] = '\0';
}

char *textbuf_take(struct textbuf *buffer)
{
	char *data = NULL;

	if (textbuf_reserve(buffer, 0)) {
		data = buffer->data;
		data[buffer->length] = '\0';
		buffer->data = NULL;
	}
	textbuf_release(buffer);
	return data;
}

void textbuf_release(struct textbuf *buffer)
{
	free(buffer->data);
	*buffer = (struct textbuf){0};
}
