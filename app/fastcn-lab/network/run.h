/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A run creates the network of a scenario and lets virtual time advance to the end.
 */

#ifndef LAB_RUN_H
#define LAB_RUN_H

#include <signal.h>

#include "measure.h"

/** Called from time to time with the progress of the run: virtual times in ns, frames so far. */
typedef void (*lab_progress)(void *arg, uint64_t now, uint64_t end, uint64_t frames);

/**
 * @param m       measure to which all events are reported
 * @param stop    the run ends when it is not 0; may be NULL
 * @param progress may be NULL
 * @param last    no other run follows in this program
 * @param err     errors, such as "FILE:LINE: ..." of a configuration
 * @return the result; NULL when the network could not be made or the run could not go on, with a
 *         message on err
 */
json_t *lab_run(const struct lab_scenario *sc, struct lab_measure *m,
		const volatile sig_atomic_t *stop, lab_progress progress, void *arg, bool last,
		FILE *err);

/**
 * Initialise EAL with memory for switches and the queues of their ports. Once in a process.
 *
 * @param queues_mb see lab_queues_mb()
 * @return 0, or -1 with a message on stderr
 */
int lab_eal_init(unsigned int switches, unsigned int queues_mb);

/**
 * Get the memory in MB that the queues of all ports of switches can take at most, by the longest
 * queue (packets N) of each switch.
 */
unsigned int lab_queues_mb(const struct lab_scenario *sc);

#endif /* LAB_RUN_H */
