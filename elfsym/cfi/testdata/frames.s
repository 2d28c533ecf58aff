@ Every kind of rule in .eh_frame and .debug_frame; the code is of no use.
	.syntax unified
	.thumb
	.cfi_sections .eh_frame, .debug_frame

	.global _start
	.thumb_func
	.type _start, %function
_start:
	.cfi_startproc
	push {r4, r7, lr}
	.cfi_def_cfa_offset 12
	.cfi_offset 14, -4
	.cfi_offset 7, -8
	.cfi_offset 4, -12
	add r7, sp, #4
	.cfi_def_cfa 7, 8
	.cfi_remember_state
	sub sp, #64
	.cfi_def_cfa_register 13
	pop {r4, r7, pc}
	.cfi_restore_state
	nop
	.cfi_escape 0x0f, 3, 0x7d, 0x08, 0x06		@ def_cfa_expression: *(sp+8)
	nop
	.cfi_escape 0x10, 4, 2, 0x7d, 0x04		@ expression: r4 at sp+4
	.cfi_escape 0x16, 5, 2, 0x7d, 0x04		@ val_expression: r5 is sp+4
	.cfi_escape 0x2e, 0x10				@ GNU_args_size
	nop
	.cfi_register 14, 12
	.cfi_val_offset 13, 0
	.cfi_same_value 6
	.cfi_undefined 7
	.cfi_offset 264, -32
	.cfi_restore 4
	nop
	.cfi_escape 0x12, 13, 0x7e			@ def_cfa_sf: sp+8
	.cfi_escape 0x2f, 8, 4				@ GNU_negative_offset_extended: r8 at cfa+16
	nop
	.cfi_escape 0x13, 0x7d				@ def_cfa_offset_sf: sp+12
	.cfi_escape 0x11, 9, 0x7f			@ offset_extended_sf: r9 at cfa+4
	.cfi_escape 0x15, 10, 2				@ val_offset_sf: r10 is cfa-8
	.cfi_escape 0x06, 8				@ restore_extended
	.space 300
	.cfi_def_cfa_offset 16
	.space 140000
	.cfi_def_cfa_offset 24
	.cfi_endproc
	.size _start, . - _start

	.thumb_func
	.type handler, %function
handler:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_personality 0, 0x8000
	.cfi_lsda 0, 0x9000
	nop
	.cfi_adjust_cfa_offset 0x104
	nop
	.cfi_endproc
	.size handler, . - handler
