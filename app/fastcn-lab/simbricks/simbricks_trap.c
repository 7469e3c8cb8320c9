/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "simbricks_trap.h"

struct simbricks_trap {
	struct simbricks_trap *next;
	uint8_t *base;
	size_t size;
	volatile sig_atomic_t sprung;
};

/* A handler of signals has no argument for it: the list of the process. */
static struct simbricks_trap *traps;

static void
handle(int signal, siginfo_t *info, void *context)
{
	const uint8_t *at = info->si_addr;
	struct sigaction usual = {.sa_handler = SIG_DFL};

	(void)context;
	for (struct simbricks_trap *t = traps; t != NULL; t = t->next) {
		if (at < t->base || at >= t->base + t->size)
			continue;
		if (mmap(t->base, t->size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;
		t->sprung = 1;
		return;
	}
	sigaction(signal, &usual, NULL); /* the access is made again, and ends the program */
}

struct simbricks_trap *
simbricks_trap_create(void *base, size_t size)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	struct simbricks_trap *trap = calloc(1, sizeof(*trap));

	if (trap == NULL)
		return NULL;
	trap->base = base;
	trap->size = size;
	trap->next = traps;
	traps = trap;
	sigaction(SIGBUS, &action, NULL);
	return trap;
}

void
simbricks_trap_free(struct simbricks_trap *trap)
{
	struct simbricks_trap **at = &traps;

	if (trap == NULL)
		return;
	while (*at != trap)
		at = &(*at)->next;
	*at = trap->next;
	free(trap);
}

bool
simbricks_trap_sprung(const struct simbricks_trap *trap)
{
	return trap->sprung != 0;
}
