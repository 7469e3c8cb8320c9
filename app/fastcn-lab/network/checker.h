/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The checker of a switch, with `check on`: it compares the frames that enter and leave the switch
 * by its ports with the events that the switch reports. It is placed between the dataplane and the
 * links, so that it knows when each frame came, and its headers at that time.
 *
 * What must hold of each frame:
 * - no packet leaves with CE for which the switch notified a sender it knows to be capable; every
 *   one leaves with CE for which it notified a sender of unknown capability, if mark-unknown and
 *   the queue's ecn say so;
 * - none leaves in a class that the other end paused, as long as it did;
 * - a Fast CNP can be read and has a right ICRC; it does not go to a switch;
 * - a notice is about a packet that came, and the next one about its flow does not come before the
 *   minimum interval, but once for each flow that the switch counts as forgotten.
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

/** Bytes of private data that it needs in each frame's mbuf. */
uint16_t lab_checker_room(void);

int lab_checker_init(struct lab_net_switch *sw);
void lab_checker_fini(struct lab_net_switch *sw);

/** The switch reported an event of this turn. */
void lab_checker_event(struct lab_net_switch *sw, const struct fcn_event *ev);
/** The turn is over, and all its events were reported. */
void lab_checker_turn(struct lab_net_switch *sw);
/** The switch restarts: it has no state of the time before. */
void lab_checker_restart(struct lab_net_switch *sw);
/** A port's link went down: pauses that the other end asked for end. */
void lab_checker_link_down(struct lab_net_port *port);

#endif /* LAB_CHECKER_H */
