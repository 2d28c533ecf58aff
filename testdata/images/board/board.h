/* What the images of one board have in common. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))
#define REG(a) (*(volatile uint32_t *)(a))

/* An interrupt each so many cycles. */
void board_timer(uint32_t cycles);

/* Nothing is there: a store faults. */
#define NOWHERE ((volatile uint32_t *)0xd0000000u)

/* What happens; the word that a test writes to handover.scenario. */
enum scenario {
  RUN,             /* nothing but work */
  CRASH_BOOT,      /* before the application is entered, or in secure.elf */
  CRASH_APP,       /* in a function of app.elf, or of nonsecure.elf */
  CRASH_SERVICE,   /* in a function that app.elf called in boot.elf, rom.elf, secure.elf */
  CRASH_INTERRUPT, /* the same, called by an interrupt of app.elf or nonsecure.elf */
  CRASH_CALLBACK,  /* in a function of app.elf or nonsecure.elf that a service called */
};

/* At the end of RAM, which no image claims. */
struct handover {
  uint32_t scenario;
  const uint32_t *app; /* vectors of the application */
  uint32_t entered;    /* the application is */
};

#ifdef __ARM_FEATURE_CMSE
#define HANDOVER_ADDRESS (__ARM_FEATURE_CMSE == 3 ? 0x38003ff0u : 0x28203ff0u)
#else
#define HANDOVER_ADDRESS 0x20003ff0u
#endif
#define HANDOVER ((volatile struct handover *)HANDOVER_ADDRESS)

#endif
