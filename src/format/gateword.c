/* The gate of a recording, changed concurrently by any thread and any process.
 *
 * The time of a change is stored before the change is made; if several make the same one
 * concurrently, each writes a time, and any of these is right. */
#include "format/gateword.h"

static uint64_t gateword_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void set_time(struct kymo_header *header, uint32_t number, uint64_t ticks)
{
	__atomic_store_n(&header->gate_log[number % KYMO_GATE_LOG_COUNT], ticks, __ATOMIC_RELAXED);
}

/* The cause began earlier than the known time, according to a process that noticed it late. */
static void move_forward(struct kymo_header *header, uint32_t gate, uint64_t ticks)
{
	ticks = gateword_later(ticks, gateword_time(header, gate - 1));
	if (ticks < gateword_time(header, gate))
		set_time(header, gate, ticks);
}

bool gateword_change(struct kymo_header *header, uint32_t cause, bool is_off, uint64_t ticks)
{
	uint64_t word = __atomic_load_n(&header->gate_word, __ATOMIC_ACQUIRE), wanted;

	do {
		uint32_t gate = (uint32_t)word, causes = (uint32_t)(word >> 32);
		uint64_t freed = __atomic_load_n(&header->gate_freed_ticks, __ATOMIC_RELAXED);
		uint64_t from = is_off ? ticks : gateword_later(ticks, freed);

		if (is_off == ((causes & cause) != 0))
			return false;
		causes ^= cause;
		if (is_off && (gate & KYMO_GATE_OFF))
			move_forward(header, gate, ticks);
		if ((causes != 0) != (gate & KYMO_GATE_OFF)) {
			from = gateword_later(from, gateword_time(header, gate));
			set_time(header, ++gate, from);
		}
		wanted = (uint64_t)causes << 32 | gate;
	} while (!__atomic_compare_exchange_n(&header->gate_word, &word, wanted, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	if (!is_off && ticks > __atomic_load_n(&header->gate_freed_ticks, __ATOMIC_RELAXED))
		__atomic_store_n(&header->gate_freed_ticks, ticks, __ATOMIC_RELAXED);
	return true;
}

/* A process that changes something while this stores updates the page itself, or its change is
 * seen here. */
void gateword_switch(const struct kymo_header *header, struct kymo_switch *page)
{
	uint32_t gate;
	uint8_t is_shut;

	do {
		gate = __atomic_load_n(&header->gate, __ATOMIC_SEQ_CST);
		is_shut = __atomic_load_n(&page->is_shut, __ATOMIC_SEQ_CST);
		__atomic_store_n(&page->is_off, is_shut || (gate & KYMO_GATE_OFF),
				 __ATOMIC_SEQ_CST);
	} while (gate != __atomic_load_n(&header->gate, __ATOMIC_SEQ_CST) ||
		 is_shut != __atomic_load_n(&page->is_shut, __ATOMIC_SEQ_CST));
}

uint64_t gateword_cut(const struct kymo_header *header, uint64_t ticks)
{
	uint64_t off = gateword_time(header, header->gate);

	return (header->gate & KYMO_GATE_OFF) && off < ticks ? off : ticks;
}
