# One function for each rule of the analysis of native code: what is patched, and what is left
# alone.  Never run.  tests/e2e/functions/test_patch_analysis.py says what is expected of each.
	.intel_syntax noprefix

	.macro begin name
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm
	.macro end name
	.cfi_endproc
	.size \name, .-\name
	.endm

	.text
	.p2align 4
begin whole_instructions
	push rbx
	.cfi_adjust_cfa_offset 8
	mov ebx, edi
	call whole_instructions@plt
	add eax, ebx
	pop rbx
	.cfi_adjust_cfa_offset -8
	ret
end whole_instructions
	.p2align 4
begin with_padding
	xor eax, eax
	ret
end with_padding
	.p2align 4
begin behind_endbr
	endbr64
	lea eax, [rdi + rdi * 2 + 1]
	lea eax, [rax + rax]
	ret
end behind_endbr
	.p2align 4
begin left_by_compiler
	.byte 0x0f, 0x1f, 0x44, 0, 0
	lea eax, [rdi + 1]
	ret
end left_by_compiler

# Two bytes with a neighbour right behind them: a cave in the padding is in reach.
	.p2align 4
begin short_with_cave
	mov eax, edi
	ret
end short_with_cave
begin neighbour
	lea eax, [rdi + rdi * 8 + 9]
	lea eax, [rax + rax * 2]
	ret
end neighbour
	.p2align 4

# One byte: no jump is that short.
begin one_byte
	ret
end one_byte
begin behind_one_byte
	lea eax, [rdi + rdi * 8 + 9]
	lea eax, [rax + rax * 2]
	ret
end behind_one_byte
	.p2align 4

begin jumped_into
	push rdi
	.cfi_adjust_cfa_offset 8
1:	dec edi
	jnz 1b
	pop rax
	.cfi_adjust_cfa_offset -8
	lea rax, [rax + rax]
	ret
end jumped_into
	.p2align 4
begin asks_where_it_is
	call 1f
1:	pop rax
	nop
	nop
	ret
end asks_where_it_is
	.p2align 4
begin begins_with_trap
	ud2
	ret
end begins_with_trap
	.p2align 4
	.globl without_description
	.type without_description, @function
without_description:
	lea eax, [rdi + rdi * 8 + 9]
	ret
	.size without_description, .-without_description
	.p2align 4

begin again_and_again
	dec rdi
	add rax, rdi
	test rdi, rdi
	jnz again_and_again
	ret
end again_and_again
	.p2align 4
begin again_by_loop
	lea rax, [rax + rcx]
	lea rax, [rax + rcx]
	loop again_by_loop
	ret
end again_by_loop
	.p2align 4

begin leaves_by_jumps
	test edi, edi
	je with_padding
	lea eax, [rdi + rdi * 8 + 9]
	cmp edi, 9
	jg neighbour
	jmp behind_endbr
end leaves_by_jumps
	.p2align 4
begin leaves_by_import
	lea eax, [rdi + rdi * 8 + 9]
	jmp [rip + imported@GOTPCREL]
end leaves_by_import
	.p2align 4
begin leaves_by_pointer
	mov rax, [rdi + 8]
	lea esi, [rsi + rsi * 8 + 9]
	jmp rax
end leaves_by_pointer
	.p2align 4
begin leaves_with_frame
	push rbx
	.cfi_adjust_cfa_offset 8
	lea ebx, [rdi + rdi * 8 + 9]
	jmp leaves_with_frame_end
	pop rbx
	.cfi_adjust_cfa_offset -8
	ret
end leaves_with_frame
	.p2align 4
begin leaves_with_frame_end
	lea ebx, [rdi + rdi * 8 + 9]
	pop rbx
	ret
end leaves_with_frame_end
	.p2align 4

begin switches
	cmp edi, 3
	ja 9f
	lea rdx, [rip + distances]
	movsxd rax, dword ptr [rdx + rdi * 4]
	add rax, rdx
	jmp rax
5:	mov eax, 11
	ret
6:	mov eax, 12
	ret
7:	mov eax, 13
	ret
9:	mov eax, 14
	ret
end switches
	.section .rodata
	.p2align 2
distances:
	.long 5b - distances, 6b - distances, 7b - distances, 9b - distances
	.text
	.p2align 4
begin computes_jump
	and edi, 3
	lea rax, [rip + 1f]
	lea rax, [rax + rdi * 8]
	jmp rax
	.p2align 3
1:	mov eax, 1
	ret
	.p2align 3
	mov eax, 2
	ret
end computes_jump
	.p2align 4

# The return between a jump's target and code that goes on has no room.
begin return_without_room
	cmp edi, 5
	lea eax, [rdi + 1]
	je 2f
	cmp edi, 7
	jne 3f
2:	ret
3:	lea eax, [rdi + rdi * 8 + 9]
	ret
end return_without_room
	.p2align 4

begin reads_return
	mov rax, [rsp]
	cmp edi, 5
	je 2f
	cmp edi, 7
	jne 3f
2:	ret
3:	lea eax, [rdi + rdi * 8 + 9]
	ret
end reads_return
	.p2align 4
begin jumps_to_reader
	cmp edi, 5
	lea eax, [rdi + 1]
	je 2f
	cmp edi, 7
	jne 3f
2:	ret
3:	jmp reads_return
end jumps_to_reader
	.p2align 4
begin _setjmp
	cmp edi, 5
	lea eax, [rdi + 1]
	je 2f
	cmp edi, 7
	jne 3f
2:	ret
3:	lea eax, [rdi + rdi * 8 + 9]
	ret
end _setjmp
	.p2align 4

begin has_table_inside
	movups xmm0, [rip + 1f]
	lea eax, [rdi + rdi * 8 + 9]
	ret
	.p2align 4
1:	.byte 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3, 0x90
	.byte 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3, 0x90
end has_table_inside
	.p2align 4
begin does_not_decode
	lea eax, [rdi + rdi * 8 + 9]
	ret
	.byte 0x06, 0x06, 0x06, 0x06
end does_not_decode
	.p2align 4
begin falls_into_next
	lea eax, [rdi + rdi * 8 + 9]
	lea edi, [rax + 1]
end falls_into_next
begin behind_falling
	lea eax, [rdi + rdi * 8 + 9]
	ret
end behind_falling
	.p2align 4

# Its rare path lies elsewhere, returns from there, and comes back.
begin has_cold_part
	test edi, edi
	lea eax, [rdi + rdi * 8 + 9]
	js has_cold_part.cold
1:	lea eax, [rax + rax * 8 + 9]
	ret
end has_cold_part
	.section .text.unlikely, "ax", @progbits
	.type has_cold_part.cold, @function
has_cold_part.cold:
	.cfi_startproc
	cmp edi, -5
	jl 1b
	lea eax, [rdi + rdi * 8 + 7]
	ret
	.cfi_endproc
	.size has_cold_part.cold, .-has_cold_part.cold
	.text
	.p2align 4

begin takes_carry
	adc rdi, rsi
	lea rax, [rdi + 1]
	ret
end takes_carry
	.p2align 4
begin gives_comparison
	lea rax, [rdi + rdi * 8 + 9]
	cmp rdi, rsi
	ret
end gives_comparison
	.p2align 4
begin gives_carry
	lea rax, [rdi + rdi * 8 + 9]
	shr rdi
	ret
end gives_carry
	.p2align 4
begin asks_for_carry
	sub rsp, 8
	.cfi_adjust_cfa_offset 8
	call gives_carry
	adc rax, 0
	add rsp, 8
	.cfi_adjust_cfa_offset -8
	ret
end asks_for_carry
	.p2align 4

begin outer
	lea eax, [rdi + rdi * 8 + 9]
	.globl inner
	.type inner, @function
inner:	lea eax, [rax + rax * 8 + 9]
	ret
	.size inner, .-inner
end outer
	.p2align 4
begin calls_hook
	call mcount@plt
	lea eax, [rdi + rdi * 8 + 9]
	ret
end calls_hook
	.p2align 4
begin displaces_lookup
	call dlsym@plt
	lea eax, [rdi + rdi * 8 + 9]
	ret
end displaces_lookup
	.p2align 4
# Where the call comes from is looked at: only what is in front of it is moved, to a cave.
begin displaces_reader
	sub rsp, 8
	.cfi_adjust_cfa_offset 8
	call reads_return
	add rsp, 8
	.cfi_adjust_cfa_offset -8
	ret
end displaces_reader
	.p2align 4
	.section .note.GNU-stack, "", @progbits
