/* Periodic sampling from the system timer's interrupt. */
#ifndef SAMPLER_H
#define SAMPLER_H

/* Samples a channel from the interrupt until count samples are there. */
void sampler_run(unsigned channel, unsigned count);

#endif
