/* What the assembly of this folder is written with. */
.syntax unified

/* FUNCTION starts one as compilers and careful authors do: in a section of its
   own, with a type and, by END, a size. */
.macro FUNCTION name
  .section .text.\name, "ax", %progbits
  .p2align 2
  .globl \name
  .type \name, %function
\name:
.endm

.macro END name
  .ltorg
  .size \name, . - \name
.endm

/* LABEL starts one as old sources do: nothing but a global label. */
.macro LABEL name
  .section .text.\name, "ax", %progbits
  .p2align 2
  .globl \name
\name:
.endm
