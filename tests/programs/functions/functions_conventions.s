# Functions of x86-64 as people write them by hand: results in flags, jumps into their own first
# bytes, returns to where nobody called from, and none of the usual conventions.
	.intel_syntax noprefix
	.text

	.macro begin name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	.endm
	.macro end name
	.cfi_endproc
	.size \name, .-\name
	.endm

# Its result is the carry flag: whether rdi is odd.
begin odd_in_carry
	shr rdi, 1
	ret
end odd_in_carry

# Its results are the zero and the sign flag.
begin compared_in_flags
	cmp rdi, rsi
	ret
end compared_in_flags

# What calls the two.
begin ask_flags
	xor eax, eax
	call odd_in_carry
	adc rax, 0
	call compared_in_flags
	sete cl
	setl dl
	movzx ecx, cl
	movzx edx, dl
	lea rax, [rax + 2*rcx]
	lea rax, [rax + 4*rdx]
	ret
end ask_flags

# Takes the flags it is given: rdi plus the carry.
begin takes_carry
	mov rax, rdi
	adc rax, 5
	ret
end takes_carry
begin give_carry
	push rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	add rsi, rsi
	call takes_carry
	pop rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	ret
end give_carry

# A loop back to its first byte, and one into its first bytes.
begin loop_to_start
	add rax, rdi
	dec rdi
	jnz loop_to_start
	ret
end loop_to_start
begin from_zero
	xor eax, eax
	jmp loop_to_start
end from_zero
begin loop_into_start
	xor eax, eax
1:	inc eax
	shr rdi
	jnz 1b
	ret
end loop_into_start

# Two entries a few bytes apart.
begin enters_twice
	add rdi, 100
	.globl enters_behind
enters_behind:
	lea rax, [rdi + rdi*2]
	ret
end enters_twice

# One byte, two bytes, and neighbours without room.
begin one_byte
	ret
end one_byte
	.globl two_bytes_a, two_bytes_b
	.type two_bytes_a, @function
	.type two_bytes_b, @function
two_bytes_a:
	.cfi_startproc
	nop
	ret
	.cfi_endproc
	.size two_bytes_a, .-two_bytes_a
two_bytes_b:
	.cfi_startproc
	mov eax, edi
	ret
	.cfi_endproc
	.size two_bytes_b, .-two_bytes_b

# Its own return address is its result.
begin reads_return
	mov rax, [rsp]
	ret
end reads_return
begin told_return
	push rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	call reads_return
1:	lea rbx, [rip + 1b]
	sub rax, rbx
	pop rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	ret
end told_return

# Returns behind the 5 bytes that follow the call.
begin skips_five
	add qword ptr [rsp], 5
	ret
end skips_five
begin call_skipping
	mov eax, 1
	call skips_five
	mov eax, 77
	add eax, 10
	ret
end call_skipping

# Returns to what it was given, by ret and by jmp.
begin returns_to
	pop rax
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rax
	push rdi
	ret
end returns_to
begin pops_and_jumps
	pop rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rcx
	mov eax, edi
	jmp rcx
end pops_and_jumps
begin call_returning
	lea rdi, [rip + 1f]
	call returns_to
	mov eax, 5
	ret
1:	mov edi, 31
	call pops_and_jumps
	ret
end call_returning

# A computed jump to one of four returns that lie close together.
begin computed_return
	lea rax, [rip + 1f]
	and edi, 3
	lea rax, [rax + 4*rdi]
	mov ecx, edi
	jmp rax
	.p2align 3
1:	lea eax, [rcx + 7]
	ret
	lea eax, [rcx + 9]
	ret
	lea eax, [rcx + 4]
	ret
	lea eax, [rcx + 2]
	ret
end computed_return

# A jump table of its own kind, in the text.
begin table_in_text
	and edi, 3
	lea rcx, [rip + 9f]
	movsxd rax, dword ptr [rcx + 4*rdi]
	add rax, rcx
	jmp rax
	.p2align 2
9:	.long 1f - 9b, 2f - 9b, 3f - 9b, 1f - 9b
1:	mov eax, 100
	ret
2:	mov eax, 200
	ret
3:	mov eax, 300
	ret
end table_in_text

# Keeps values in all the registers that a call may change, over a call that keeps them.
begin keeps_all
	push rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	mov rbx, rdi
	inc rbx
	pop rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	ret
end keeps_all
begin relies_on_all
	mov rdi, 3
	mov rax, 11
	mov rcx, 13
	mov rdx, 17
	mov rsi, 19
	mov r8, 23
	mov r9, 29
	mov r10, 31
	mov r11, 37
	movq xmm0, rax
	movq xmm7, rcx
	movq xmm15, rdx
	call keeps_all
	imul rax, rcx
	imul rax, rdx
	imul rax, rsi
	add rax, r8
	imul rax, r9
	xor rax, r10
	imul rax, r11
	movq rcx, xmm0
	add rax, rcx
	movq rcx, xmm7
	add rax, rcx
	movq rcx, xmm15
	add rax, rcx
	ret
end relies_on_all

# Its callers put its arguments on the stack, and it takes them away.
begin takes_away
	mov rax, [rsp + 8]
	imul rax, [rsp + 16]
	ret 16
end takes_away
begin gives_away
	.cfi_remember_state
	push rdi
	.cfi_adjust_cfa_offset 8
	push rsi
	.cfi_adjust_cfa_offset 8
	call takes_away
	.cfi_restore_state
	ret
end gives_away

# Conditional tail calls, a return that is jumped to from afar, and rep ret.
begin conditional_tail
	test edi, edi
	je from_zero_minus
	cmp edi, 5
	jg enters_twice
	lea eax, [rdi + 1]
	rep ret
end conditional_tail
begin from_zero_minus
	mov eax, -1
	ret
end from_zero_minus

# The red zone, over a jump to the start.
begin red_zone_loop
	mov [rsp - 120], rdi
	mov qword ptr [rsp - 8], 0
1:	mov rax, [rsp - 8]
	add rax, [rsp - 120]
	mov [rsp - 8], rax
	dec qword ptr [rsp - 120]
	jnz 1b
	mov rax, [rsp - 8]
	ret
end red_zone_loop

# Short jumps and a loop instruction in the first bytes.
begin jrcxz_first
	mov rcx, rdi
	jrcxz 1f
2:	lea rax, [rax + rcx]
	loop 2b
	ret
1:	mov eax, 9
	ret
end jrcxz_first
begin jrcxz_called
	xor eax, eax
	jmp jrcxz_first
end jrcxz_called

# A call in the first bytes, and its own address.
begin calls_first
	call one_byte
	lea rax, [rip]
	lea rcx, [rip + calls_first]
	sub rax, rcx
	ret
end calls_first

# x87: an argument on the register stack, a result there.
begin twice_on_stack
	fadd st(0), st(0)
	ret
end twice_on_stack
begin use_x87
	push rdi
	.cfi_adjust_cfa_offset 8
	fild qword ptr [rsp]
	call twice_on_stack
	call twice_on_stack
	fistp qword ptr [rsp]
	pop rax
	.cfi_adjust_cfa_offset -8
	ret
end use_x87

# The direction flag set over a call; restored behind it.
begin backwards
	std
	call one_byte
	cld
	mov eax, 6
	ret
end backwards

# On a stack of its own that is not aligned at all.
begin odd_stack
	mov rdx, rsp
	.cfi_def_cfa_register rdx
	lea rsp, [rip + own_stack + 2003]
	push rdx
	mov edi, 10
	call loop_into_start
	pop rsp
	.cfi_def_cfa_register rsp
	ret
end odd_stack

# Without a frame description.
	.globl undescribed
	.type undescribed, @function
	.p2align 4
undescribed:
	lea rax, [rdi + 8*rdi]
	add rax, 3
	ret
	.size undescribed, .-undescribed

	.bss
	.p2align 4
own_stack:
	.skip 4096
	.section .note.GNU-stack, "", @progbits
