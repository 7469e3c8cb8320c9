/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A mirror capture: frames of several ports of a switch, in both directions, in one file. It is
 * read twice. The first time tells who is in it (replay_mirror_scan.c), from which follow the ports
 * (replay_mirror_ports.c). The second time is the replay, in which each frame enters by the port of
 * its sender, or is left out, because it is one that the switch sent (replay_mirror.c).
 *
 * Ports are made from the interfaces of a pcapng file if frames were received on two of them at
 * least, and otherwise from MAC addresses.
 *
 * A router's own frames are recognised by hop limits: of two stations that send packets from the
 * same IP address, the one with the lower hop limit has forwarded them.
 */

#ifndef FCN_REPLAY_MIRROR_H
#define FCN_REPLAY_MIRROR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "fcn_control.h"
#include "fcn_replay.h"
#include "replay_flows.h"

#define REPLAY_MIRROR_FILES 64
#define REPLAY_MIRROR_PLACES 256 /* options --port */

struct replay_mirror;

/** An option --port PORT=WHAT. */
struct replay_mirror_place {
	char *port;
	char *what; /**< MAC address, or name of an interface */
};

/** Options about mirror captures. */
struct replay_mirror_options {
	const char *file[REPLAY_MIRROR_FILES];
	const char *filter[REPLAY_MIRROR_FILES]; /**< NULL: none */
	unsigned int n_files;
	struct replay_mirror_place place[REPLAY_MIRROR_PLACES];
	unsigned int n_places;
	const char *interface; /**< only frames of this one, a name or a number; NULL: of all */
	uint64_t link_bps;     /**< of ports that are made; 0: by the capture */
	bool ipv6;             /**< IPv4 packets are replayed as IPv6 packets */
};

/**
 * Read the captures for the first time.
 *
 * @param opt   stays as long as the result
 * @param flows is told what the second time reads
 * @return NULL after a message on stderr
 */
struct replay_mirror *replay_mirror_create(
		const struct replay_mirror_options *opt, struct replay_flows *flows);
void replay_mirror_free(struct replay_mirror *m);

/** Make a configuration for the capture: commands of the console. @return to be freed with free();
 * NULL after a message on stderr */
char *replay_mirror_config(struct replay_mirror *m);

/**
 * Bind what is in the capture to the ports of the configuration that is in force, and begin to read
 * for the second time.
 *
 * @return 0; -1 after a message on stderr
 */
int replay_mirror_bind(struct replay_mirror *m, struct fcn_control *ctl, struct fcn_replay *replay);

/** Make the bridges know all stations from the beginning. */
void replay_mirror_learn(const struct replay_mirror *m, struct fcn_control *ctl);

/** Make the member `mirror` of the report. */
json_t *replay_mirror_report(const struct replay_mirror *m);
/** Print it as text. */
void replay_mirror_print(const json_t *report, FILE *out);

#endif /* FCN_REPLAY_MIRROR_H */
