/* Calls what functions_conventions.s has. */
#define _GNU_SOURCE
#include "functions_scene.h"

uint64_t ask_flags(int64_t, int64_t);
uint64_t give_carry(uint64_t, uint64_t);
uint64_t from_zero(uint64_t), loop_into_start(uint64_t), enters_twice(uint64_t);
uint64_t enters_behind(uint64_t), two_bytes_b(uint64_t), told_return(void), call_skipping(void);
uint64_t call_returning(void), computed_return(uint64_t), table_in_text(uint64_t);
uint64_t relies_on_all(void), gives_away(uint64_t, uint64_t), conditional_tail(uint64_t);
uint64_t red_zone_loop(uint64_t), jrcxz_called(uint64_t), calls_first(void), use_x87(uint64_t);
uint64_t backwards(void), odd_stack(void), undescribed(uint64_t);
void one_byte(void), two_bytes_a(void);

static void play_flags(void)
{
	for (int64_t i = -50; i < 50; i++) {
		mix(ask_flags(i, 10 - i));
		mix(give_carry((uint64_t)i, (uint64_t)i));
	}
}

static void play_entries(void)
{
	for (uint64_t i = 1; i < 100; i++) {
		mix(from_zero(i));
		mix(loop_into_start(i << 10));
		mix(enters_twice(i));
		mix(enters_behind(i));
		one_byte();
		two_bytes_a();
		mix((uint32_t)two_bytes_b(i));
		mix(jrcxz_called(i % 10));
		mix(calls_first());
		mix(undescribed(i));
	}
}

static void play_returns(void)
{
	for (uint64_t i = 0; i < 100; i++) {
		mix(told_return());
		mix((uint32_t)call_skipping());
		mix((uint32_t)call_returning());
		mix((uint32_t)computed_return(i));
		mix((uint32_t)table_in_text(i));
		mix(gives_away(i, i + 3));
		mix((uint32_t)conditional_tail(i % 9));
	}
}

static void play_registers(void)
{
	for (uint64_t i = 1; i < 100; i++) {
		mix(relies_on_all());
		mix(red_zone_loop(i));
		mix(use_x87(i));
		mix((uint32_t)backwards());
		mix((uint32_t)odd_stack());
	}
}

static const struct scene scenes[] = {
	{"flags", play_flags},
	{"entries", play_entries},
	{"returns", play_returns},
	{"registers", play_registers},
};

int main(int argc, char **argv)
{
	return SCENES(scenes, argc, argv);
}
