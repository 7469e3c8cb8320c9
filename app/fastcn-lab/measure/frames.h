/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Captures of links: a pcap with nanoseconds of each direction, as a tap behind the sender would
 * have it, with the time of a frame's last bit. What is lost on the way is in it; what never got
 * on the line is not.
 */

#ifndef LAB_FRAMES_H
#define LAB_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_link.h"
#include "scenario.h"

struct lab_frames;

/** Files "FROM-TO.pcap" in dir of links that want it. @return NULL with a line in err */
struct lab_frames *lab_frames_create(
		const struct lab_scenario *sc, const char *dir, char *err, size_t err_size);

/** @return 0, or -EIO if something could not be written, said on stderr */
int lab_frames_close(struct lab_frames *f);

void lab_frames_put(struct lab_frames *f, unsigned int link, unsigned int direction,
		const struct rte_mbuf *frame, enum fcn_link_fate fate, uint64_t departed);

/** "FROM-TO" of a link's direction, "FROM-TO-2" of the second between the same nodes. */
void lab_link_label(const struct lab_scenario *sc, unsigned int link, unsigned int direction,
		char *label, size_t size);

#endif /* LAB_FRAMES_H */
