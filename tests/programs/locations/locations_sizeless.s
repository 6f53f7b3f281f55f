# For test_locations.py: functions that do not say how large they are, as by hand they seldom do.
	.text
	.globl first, second
	.type first, @function
first:
	nop
	nop
	ret
	.type second, @function
second:
	nop
	ret
	.globl main
	.type main, @function
main:
	xor %eax, %eax
	ret
	.size main, . - main
	nop
	.section .note.GNU-stack, "", @progbits
