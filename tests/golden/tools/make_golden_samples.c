/* Golden recordings of samples. */
#include "make_golden.h"

#include "synthetic.h"

static uint64_t python_frame(uint32_t code, uint32_t offset)
{
	return kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)code << 32 | offset);
}

/* Samples of every kind, of Python and native frames, and what a reader must get over. */
struct synthetic *make_sampled(void)
{
	static const unsigned char table[] = {0, 1, 2, 255, 0x80, 7};
	static const unsigned char later[] = {6 | 0xc8, 1, 9, 3, 4}; /* of a later version */
	static const unsigned char cut[] = {KYMO_SAMPLE_REALTIME, 1, 0x80};
	struct synthetic *s = synthetic_new(KYMO_HEADER_SAMPLES | KYMO_HEADER_ROOT);
	uint32_t f = synthetic_code(s, "f", "/home/me/f.py", 12);
	uint32_t g = synthetic_code(s, "g", "/home/me/f.py", 30);
	uint32_t first = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0), second;
	uint32_t stack, stacks[4];
	uint64_t t = 0;

	synthetic_chunk_payload(s, 256);
	synthetic_code_at(s, f)->lines = synthetic_string_of(s, table, sizeof(table));
	synthetic_code_at(s, g)->qualname = 0;
	synthetic_code_at(s, g)->version = 3 << 8 | 8;
	synthetic_code_at(s, g)->flags = KYMO_CODE_GENERATOR;
	synthetic_code(s, NULL, NULL, 0);
	synthetic_module(s, "/nowhere/program", "0a1b2c", 0x1000, 0x3000, 0x1000);
	stacks[0] = synthetic_stack(s, first, 0, kymo_frame(KYMO_FRAME_NATIVE, 0x1234));
	stacks[1] = synthetic_stack(s, first, stacks[0], python_frame(f, 6));
	stacks[2] = synthetic_stack(s, first, stacks[1], python_frame(g, KYMO_FRAME_NO_OFFSET));
	stacks[3] = synthetic_stack(s, first, stacks[1],
				    kymo_frame(KYMO_FRAME_KERNEL, UINT64_C(202) << 48 | 0x2040));
	synthetic_sample(s, first, KYMO_SAMPLE_BEGIN, 0, 2048, 0, SYNTHETIC_NONE, SYNTHETIC_NONE);
	for (uint32_t i = 0; i < 1500; i++) {
		stack = stacks[i % 4];
		if (i % 4 == 3) /* many stacks */
			stack = synthetic_stack(s, first, stack,
						kymo_frame(KYMO_FRAME_NATIVE, 0x2000 + i / 4));
		synthetic_sample(s, first, KYMO_SAMPLE_REALTIME, (enum kymo_gil_state)(i % 4),
				 t += 9000 + i * 7, stack, i % 5 ? i % 9 * 1024 : SYNTHETIC_NONE,
				 SYNTHETIC_NONE);
	}
	synthetic_sample(s, first, KYMO_SAMPLE_LOST, 0, t += 4096, 0, SYNTHETIC_NONE, 3);
	synthetic_sample(s, first, KYMO_SAMPLE_CPUTIME, 0, t += 4096, stacks[1], 1 << 20,
			 SYNTHETIC_NONE);
	synthetic_sample(s, first, KYMO_SAMPLE_BEGIN, 0, t += 1 << 22, 0, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	synthetic_sample(s, first, KYMO_SAMPLE_OVERFLOW, 0, t += 4096, stacks[2], SYNTHETIC_NONE,
			 UINT64_C(1) << 40);
	synthetic_sample_bytes(s, first, later, sizeof(later));
	synthetic_sample(s, first, KYMO_SAMPLE_REALTIME, 0, t += 4096, 9999, 0, SYNTHETIC_NONE);
	second = synthetic_thread(s, first, "second", t);
	stack = synthetic_stack(s, second, 7, kymo_frame(KYMO_FRAME_MARK, KYMO_MARK_LOST));
	stack = synthetic_stack(s, second, stack, kymo_frame(KYMO_FRAME_NATIVE, 0x99));
	synthetic_sample(s, second, KYMO_SAMPLE_REALTIME, 0, t, stack, SYNTHETIC_NONE,
			 SYNTHETIC_NONE); /* without a BEGIN */
	synthetic_sample(s, second, KYMO_SAMPLE_REALTIME, 0, t += 20480, stack, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	synthetic_sample_bytes(s, second, cut, sizeof(cut));
	return s;
}
