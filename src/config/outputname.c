/* Names of outputs: keys in texts, and the path rule. %env{X}% and %cfg{X}% are inserted unchanged,
 * since they often are paths; keys inside them are not expanded again. */
#include "config/outputname.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/text/textbuf.h"
#include "config/outputkey.h"

static const struct {
	char letter;
	const char *name;
} short_keys[] = {
	{'m', "argt_hash"}, {'p', "pid"}, {'j', "job"}, {'r', "rank"}, {'s', "size"},
};

/* "env{X}" or "cfg{X}" at name: append the value; length of the key, 0 = no such key. */
static size_t put_braced(struct textbuf *text, const struct output_context *context,
			 const char *name)
{
	bool is_environment = strncmp(name, "env{", 4) == 0;
	const char *end = strchr(name, '}'), *value;
	char *variable;
	int id;

	if (end == NULL || (!is_environment && strncmp(name, "cfg{", 4) != 0))
		return 0;
	variable = strndup(name + 4, (size_t)(end - name) - 4);
	if (variable == NULL) {
		text->has_failed = true;
		return (size_t)(end + 1 - name);
	}
	if (is_environment) {
		value = output_environment(context, variable);
	} else {
		id = settings_find(variable);
		value = id < 0 ? NULL : settings_text(context->settings, (enum setting_id)id);
	}
	free(variable);
	textbuf_text(text, value != NULL ? value : "");
	return (size_t)(end + 1 - name);
}

static bool put_short(struct textbuf *text, const struct output_context *context, char letter)
{
	for (size_t i = 0; i < sizeof(short_keys) / sizeof(*short_keys); i++)
		if (short_keys[i].letter == letter)
			return output_key_put(text, context, short_keys[i].name,
					      strlen(short_keys[i].name));
	return false;
}

/* Expand the key that may begin at '%' or '$'; number of characters consumed, 0 = no key. */
static size_t outputname_expand_key(struct textbuf *text, const struct output_context *context,
				    const char *at)
{
	struct textbuf value = {0};
	size_t length = put_braced(&value, context, at + 1);
	bool is_closed = *at == '$' || at[1 + length] == '%';

	if (length > 0 && is_closed)
		textbuf_bytes(text, value.data, value.length);
	text->has_failed = text->has_failed || value.has_failed;
	textbuf_release(&value);
	if (length > 0 && is_closed)
		return 1 + length + (*at == '%');
	if (*at != '%')
		return 0;
	for (length = 0; isalnum((unsigned char)at[1 + length]) || at[1 + length] == '_'; length++)
		continue;
	if (length > 1 && at[1 + length] == '%')
		return output_key_put(text, context, at + 1, length) ? length + 2 : 0;
	return length > 0 && put_short(text, context, at[1]) ? 2 : 0;
}

char *output_expand(const struct output_context *context, const char *text)
{
	struct textbuf expanded = {0};
	size_t used;

	while (*text != '\0') {
		used = *text == '%' || *text == '$'
			       ? outputname_expand_key(&expanded, context, text)
			       : 0;
		if (used == 0)
			textbuf_char(&expanded, *text++);
		text += used;
	}
	return textbuf_take(&expanded);
}

char *output_directory(const struct output_context *context)
{
	const char *home = output_environment(context, "HOME");
	struct textbuf directory = {0};
	char *path = output_expand(context, settings_text(context->settings, SET_OUTPUT_PATH));

	if (path == NULL)
		return NULL;
	if (path[0] == '~' && path[1] == '/' && home != NULL)
		textbuf_format(&directory, "%s%s", home, path + 1);
	else
		textbuf_text(&directory, path[0] != '\0' ? path : ".");
	free(path);
	while (directory.length > 1 && directory.data[directory.length - 1] == '/')
		directory.data[--directory.length] = '\0';
	if (settings_bool(context->settings, SET_TIME_OUTPUT)) {
		if (directory.length > 0 && directory.data[directory.length - 1] != '/')
			textbuf_char(&directory, '/');
		output_key_put(&directory, context, "launch_time", strlen("launch_time"));
	}
	return textbuf_take(&directory);
}

/* "name-suffix", inserted before the extension that name may have. */
static void put_suffixed(struct textbuf *file, const struct output_context *context,
			 const char *name)
{
	const char *dot = strrchr(path_base_name(name), '.');
	size_t stem =
		dot != NULL && dot != path_base_name(name) ? (size_t)(dot - name) : strlen(name);

	textbuf_bytes(file, name, stem);
	if (settings_bool(context->settings, SET_USE_PID)) {
		textbuf_char(file, '-');
		output_key_put(file, context, "nid", strlen("nid"));
	}
	textbuf_text(file, name + stem);
}

char *output_file(const struct output_context *context, const char *directory, const char *name,
		  const char *extension)
{
	struct textbuf file = {0};
	char *expanded = output_expand(context, name);
	char *prefix = output_expand(context, settings_text(context->settings, SET_OUTPUT_PREFIX));

	if (expanded == NULL || prefix == NULL) {
		file.has_failed = true;
	} else if (expanded[0] == '/') {
		textbuf_text(&file, expanded);
	} else {
		textbuf_format(&file, "%s/%s", directory, prefix);
		put_suffixed(&file, context, expanded);
	}
	if (extension != NULL && extension[0] != '\0')
		textbuf_format(&file, ".%s", extension);
	free(expanded);
	free(prefix);
	return textbuf_take(&file);
}
