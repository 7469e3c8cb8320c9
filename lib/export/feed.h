/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The feed of the page of the switch: one JSON text with all that the page shows.
 *
 * It is made for this page and not for other programs: its form may change with any version. A list
 * is an object with the names of its "columns", its "rows", each of which is an array, and, if it
 * was too long, how many rows were "left_out". It has no time of its own, so that as long as
 * nothing happens its bytes are the same.
 */

#ifndef FEED_H
#define FEED_H

#include <stdint.h>

#include "fcn_show_list.h"

/** What is kept from one feed to the next: lists for which workers have to be called several times
 * are made again only after some seconds. All zero: nothing. */
struct feed {
	json_t *flows, *missing, *drops;
	uint64_t made_ns;
};

/** The first member behind the times at which the feed and its lists were made. */
#define FEED_CONTENT "version"

/**
 * Write the feed. The control thread calls this.
 *
 * @param now      nanoseconds of any clock that never goes back
 * @param epoch_ns the UTC time at which the clock of the workers was 0; 0: not known
 * @return the text, which the caller frees with free(); NULL on lack of memory
 */
char *feed_write(struct feed *feed, const struct fcn_show_source *source, uint64_t now,
		uint64_t epoch_ns);

/** Free what is kept. */
void feed_clear(struct feed *feed);

#endif /* FEED_H */
