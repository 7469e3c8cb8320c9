/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A run: the network of a scenario made, and virtual time moved to its end.
 */

#ifndef LAB_RUN_H
#define LAB_RUN_H

#include <signal.h>

#include "measure.h"

/** How far it is, for a progress bar: called now and then. */
typedef void (*lab_progress)(void *arg, uint64_t now, uint64_t end, uint64_t frames);

/**
 * @param m       told of everything
 * @param stop    ends the run when it is not 0; may be NULL
 * @param progress may be NULL
 * @param err     a configuration that cannot be put in force, "FILE:LINE: ..." and the like
 * @return the result, NULL when the network could not be made or the run could not go on, said on
 * err
 */
json_t *lab_run(const struct lab_scenario *sc, struct lab_measure *m,
		const volatile sig_atomic_t *stop, lab_progress progress, void *arg, FILE *err);

/** EAL for a run of a scenario: memory by its buffers. Once in a process. @return 0 or -1, said on
 * stderr */
int lab_eal_init(uint32_t buffers);

#endif /* LAB_RUN_H */
