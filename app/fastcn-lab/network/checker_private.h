/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of the checker of a switch.
 *
 * checker.c        frames at its ports
 * checker_event.c  events that it reports about them
 */

#ifndef LAB_CHECKER_PRIVATE_H
#define LAB_CHECKER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icrc.h"
#include "checker.h"

#define ECN_CE 3

/* What must be true of the ECN field of a packet when it leaves. */
enum look {
	LOOK_ANY,
	LOOK_NOT_CE, /* unless it came with CE */
	LOOK_CE,     /* unless it is Not-ECT */
};

/* What is known of a packet inside a switch; kept in the private data of its mbuf. */
struct sighting {
	uint8_t sender[16], receiver[16];
	uint32_t dest_qp;
	uint16_t in_port, out_port; /* numbers */
	uint8_t ecn_in, ecn_out;
	uint8_t look;
	uint16_t look_port; /* if it leaves by this one */
	bool is_data;
};

/* Packets seen in this turn. */
struct sightings {
	struct sighting **item;
	unsigned int n, room;
};

struct lab_checker {
	struct sightings in, out;
	uint64_t *notified;                 /* by flow: when, FCN_TIME_NEVER: never */
	uint64_t early;                     /* notices before a flow's interval had passed */
	uint64_t forgotten, forgotten_seen; /* flows that the switch counts as forgotten */
	struct fcn_crc32 crc;
	bool crc_ready;
};

const char *lab_checker_name(const struct lab_net_switch *sw);
/** Whether it is the address of a switch. */
bool lab_checker_is_loopback(const struct lab_network *net, const uint8_t *addr);

#endif /* LAB_CHECKER_PRIVATE_H */
