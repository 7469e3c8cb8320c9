/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Captures of links: a pcap file with nanoseconds for each direction, as a tap behind the sender
 * would write it, with the time of a frame's last bit. It has the frames that are lost on the link,
 * but not those that were never sent because the link was down.
 */

#ifndef LAB_FRAMES_H
#define LAB_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_link.h"
#include "scenario.h"

struct lab_frames;

/** Create the files "FROM-TO.pcap" in dir for the links with `pcap`. @return NULL with a message */
struct lab_frames *lab_frames_create(
		const struct lab_scenario *sc, const char *dir, char *err, size_t err_size);

/** Close all files. @return 0, or -EIO when one could not be written, with a message on stderr */
int lab_frames_close(struct lab_frames *f);

void lab_frames_put(struct lab_frames *f, unsigned int link, unsigned int direction,
		const struct rte_mbuf *frame, enum fcn_link_fate fate, uint64_t departed);

/**
 * Write the label of a direction of a link: "FROM-TO", or "FROM-TO-2" for the second link between
 * the same nodes.
 */
void lab_link_label(const struct lab_scenario *sc, unsigned int link, unsigned int direction,
		char *label, size_t size);

#endif /* LAB_FRAMES_H */
