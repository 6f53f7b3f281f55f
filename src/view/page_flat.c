/* Blobs "flat" and "links": the values of each region, and of each call from one to another.
 *
 * flat: the number of entries, then of each: region, calls, non-recursive calls, closed calls,
 * self, total, minimum and maximum of a call, sum of all calls, their standard deviation.  links:
 * the number, then of each: caller + 1 or 0 for none, callee, calls, self, total.  Times in
 * nanoseconds.
 *
 * errors: only with counted functions, of each entry of flat the errors of self and total, 0 =
 * exact, and 1 if the number of non-recursive calls is an estimate; then of each link the bounds of
 * the number of calls, and the error of its total. */
#include <math.h>

#include "view/page.h"
#include "view/page_out.h"

static void put_entry(struct textbuf *bytes, const struct flat_entry *entry)
{
	page_varint(bytes, entry->region);
	page_varint(bytes, entry->calls);
	page_varint(bytes, entry->primitive_calls);
	page_varint(bytes, entry->closed_calls);
	page_time(bytes, entry->self_ns);
	page_time(bytes, entry->total_ns);
	page_time(bytes, entry->min_ns);
	page_time(bytes, entry->max_ns);
	page_time(bytes, entry->visits_ns);
	page_time(bytes, flat_entry_deviation(entry));
}

static void put_link(struct textbuf *bytes, const struct flat_link *link)
{
	page_varint(bytes, link->has_caller ? (uint64_t)link->caller + 1 : 0);
	page_varint(bytes, link->callee);
	page_varint(bytes, link->calls.count);
	page_time(bytes, link->self_ns);
	page_time(bytes, link->total_ns);
}

static void put_errors(struct textbuf *bytes, const struct flat_view *flat)
{
	for (size_t i = 0; i < flat->count; i++) {
		const struct calltree_estimate *estimate = &flat->entries[i].estimate;

		page_time(bytes, fmax(estimate->self_below_ns, estimate->self_above_ns));
		page_time(bytes, fmax(estimate->total_below_ns, estimate->total_above_ns));
		page_varint(bytes, flat->entries[i].is_primitive_estimated);
	}
	for (size_t i = 0; i < flat->link_count; i++) {
		const struct flat_link *link = &flat->links[i];

		page_varint(bytes, link->calls.low);
		page_varint(bytes, link->calls.high);
		page_time(bytes,
			  fmax(link->estimate.total_below_ns, link->estimate.total_above_ns));
	}
}

static void write_flat(const struct page *page, struct page_out *out)
{
	const struct flat_view *flat = page->flat;
	struct textbuf bytes = {0};

	page_varint(&bytes, flat->count);
	for (size_t i = 0; i < flat->count; i++)
		put_entry(&bytes, &flat->entries[i]);
	page_blob(out, "flat", &bytes);
	page_varint(&bytes, flat->link_count);
	for (size_t i = 0; i < flat->link_count; i++)
		put_link(&bytes, &flat->links[i]);
	page_blob(out, "links", &bytes);
	if (flat->has_estimates) {
		put_errors(&bytes, flat);
		page_blob(out, "errors", &bytes);
	}
	textbuf_release(&bytes);
}

const struct page_section page_flat_section = {.write = write_flat};
