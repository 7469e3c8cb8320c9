/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The checker of a switch, with `check on`: it compares the frames that enter and leave the switch
 * by its ports with the events that the switch reports. It is placed between the dataplane and the
 * links, so that it knows when each frame came, and its headers at that time.
 *
 * The invariants of each frame:
 * - a packet about which the switch notified a sender with the capability "capable" is not marked
 *   with CE; a packet about which it notified a sender of unknown capability is marked with CE, if
 *   mark-unknown and the queue's ecn are on;
 * - no packet leaves in a class while the link partner has paused this class;
 * - a Fast CNP is well-formed and has a correct ICRC, and its receiver is not a switch;
 * - a message to a proxy is well-formed, and not about a packet of a switch;
 * - a notice is about a packet that was received, also inside a tunnel, and the next notice of its
 *   kind about its flow comes after the minimum interval or later. One notice may come earlier for
 *   each flow that the switch counts as forgotten.
 */

#ifndef LAB_CHECKER_H
#define LAB_CHECKER_H

#include "fcn_event.h"
#include "fcn_port.h"

struct lab_net_port;
struct lab_net_switch;
struct lab_network;

/** Operations of a port that is checked; the private pointer is a struct lab_net_port. */
extern const struct fcn_port_ops lab_checker_ops;

/** Get the number of bytes of private data that the checker needs in each mbuf. */
uint16_t lab_checker_room(void);

int lab_checker_init(struct lab_net_switch *sw);
void lab_checker_fini(struct lab_net_switch *sw);

/** Process an event that the switch reported in this turn. */
void lab_checker_event(struct lab_net_switch *sw, const struct fcn_event *ev);
/** Complete the checks of a turn, after all of its events were reported. */
void lab_checker_turn(struct lab_net_switch *sw);
/** Forget the state of a switch that restarts. */
void lab_checker_restart(struct lab_net_switch *sw);
/**
 * Process that the link of a port went down, which ends the pauses that the link partner asked for.
 */
void lab_checker_link_down(struct lab_net_port *port);

#endif /* LAB_CHECKER_H */
