/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the files of fastcn-pnc share. */

#ifndef PNC_H
#define PNC_H

#include "fcn_remote_feed.h"
#include "learned.h"
#include "options.h"
#include "source.h"
#include "station.h"

struct pnc {
	struct pnc_options opt;
	struct learned *learned;
	struct fcn_remote_feed feed;
	struct station station;
	struct sources sources;
	int signals; /**< descriptor of the signals */
	uint64_t tick_ns;
};

/** Read, tell the switch, and report, until a signal ends it. @return exit status */
int pnc_loop(struct pnc *pnc);

/** Write what the counters of the state mean. */
void pnc_counters_help(FILE *out);

/** Run `fastcn-pnc encode`. @param argv words behind it @return exit status */
int pnc_encode(int argc, char **argv);

#endif /* PNC_H */
