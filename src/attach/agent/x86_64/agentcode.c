/* The agent, x86-64.  It is position independent and uses only the stack that the C library gives
 * it; rbx holds the address of the words throughout. */
#include "attach/agent/agentcode.h"

#define TEXT_OF(x) #x
#define TEXT(x)	   TEXT_OF(x)

#define CREATE	    0
#define UNMAP	    8
#define BASE	    16
#define SIZE	    24
#define THREAD	    32
#define MAKER_LIVES 40
#define CREATED	    44
#define ID	    48
#define COMMAND	    52
#define FUNCTION    56
#define ARGUMENT_0  64
#define ARGUMENT_1  72
#define ARGUMENT_2  80
#define ARGUMENT_3  88
#define RESULT	    96
#define PATIENCE    104
#define PAUSE	    112

#define CHECK(offset, field)                                                                       \
	_Static_assert(offsetof(struct agent_words, field) == (offset), "offset of " #field)
CHECK(CREATE, create);
CHECK(UNMAP, unmap);
CHECK(BASE, base);
CHECK(SIZE, size);
CHECK(THREAD, thread);
CHECK(MAKER_LIVES, maker_lives);
CHECK(CREATED, created);
CHECK(ID, id);
CHECK(COMMAND, command);
CHECK(FUNCTION, function);
CHECK(ARGUMENT_0, arguments[0]);
CHECK(ARGUMENT_3, arguments[3]);
CHECK(RESULT, result);
CHECK(PATIENCE, patience);
CHECK(PAUSE, pause_s);

#define AT(offset) TEXT(offset) "(%rbx)"

/* clang-format off */
__asm__(
	".pushsection .rodata\n"
	".balign 16\n"
	"agentcode_start:\n"
	/* The maker: a bare thread, which ends when the agent is created. */
	"	syscall\n"
	"	testl %eax, %eax\n"
	"	jz 1f\n"
	"	ud2\n" /* the borrowed thread is restored before it gets here */
	"1:	cld\n"
	"	xorl %ebp, %ebp\n"
	"	andq $-16, %rsp\n"
	"	leaq " AT(THREAD) ", %rdi\n"
	"	xorl %esi, %esi\n"
	"	leaq 2f(%rip), %rdx\n"
	"	movq %rbx, %rcx\n"
	"	callq *" AT(CREATE) "\n"
	"	movl %eax, " AT(CREATED) "\n"
	"	xorl %edi, %edi\n"
	"	movl $60, %eax\n" /* exit */
	"	syscall\n"
	"	ud2\n"
	/* The agent: void *(*)(void *words). */
	"2:	pushq %rbx\n"
	"	pushq %rbp\n"
	"	subq $8, %rsp\n"
	"	movq %rdi, %rbx\n"
	"	cld\n"
	"	movl $186, %eax\n" /* gettid */
	"	syscall\n"
	"	movl %eax, " AT(ID) "\n"
	"3:	movl " AT(COMMAND) ", %eax\n"
	"	cmpl $1, %eax\n"
	"	je 5f\n"
	"	cmpl $2, %eax\n"
	"	je 6f\n"
	"	decq " AT(PATIENCE) "\n"
	"	jz 6f\n"
	"	leaq " AT(PAUSE) ", %rdi\n"
	"	xorl %esi, %esi\n"
	"	movl $35, %eax\n" /* nanosleep */
	"	syscall\n"
	"	jmp 3b\n"
	"5:	movq " AT(ARGUMENT_0) ", %rdi\n"
	"	movq " AT(ARGUMENT_1) ", %rsi\n"
	"	movq " AT(ARGUMENT_2) ", %rdx\n"
	"	movq " AT(ARGUMENT_3) ", %rcx\n"
	"	xorl %eax, %eax\n"
	"	callq *" AT(FUNCTION) "\n"
	"	movq %rax, " AT(RESULT) "\n"
	"	movl $0, " AT(COMMAND) "\n"
	"	jmp 3b\n"
	/* The end: not before the maker has left the memory. */
	"6:	cmpl $0, " AT(MAKER_LIVES) "\n"
	"	je 7f\n"
	"	leaq " AT(PAUSE) ", %rdi\n"
	"	xorl %esi, %esi\n"
	"	movl $35, %eax\n"
	"	syscall\n"
	"	jmp 6b\n"
	"7:	movq " AT(BASE) ", %rdi\n"
	"	movq " AT(SIZE) ", %rsi\n"
	"	movq " AT(UNMAP) ", %rax\n"
	"	addq $8, %rsp\n"
	"	popq %rbp\n"
	"	popq %rbx\n"
	"	jmpq *%rax\n" /* which returns to the caller of this routine */
	"agentcode_end:\n"
	".popsection\n"
	".globl agentcode_start, agentcode_end\n"
	".hidden agentcode_start, agentcode_end\n");
/* clang-format on */
