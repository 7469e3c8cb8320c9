/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Netlink messages of the kernel, built attribute by attribute, for the conversations of
 * netlink_player.h.
 */

#ifndef TALK_H
#define TALK_H

#include "fcn_test.h"
#include "netlink_player.h"

#define S 1000u /**< ms */
#define MOST_OCTETS 8192

/** The message that is being built. */
extern uint8_t msg[MOST_OCTETS];

struct nlmsghdr *begin(uint16_t type, uint16_t flags, const void *header, size_t len);
/** Add an attribute. */
void put(uint16_t type, const void *data, uint16_t len);
void say(struct netlink_player *p, enum netlink_record kind);
/** Build a message about the route to 10.N.0.0/16 via 192.0.2.1 by interface 7. */
void route(uint16_t type, uint16_t flags, uint8_t n, uint32_t table);

void pass(struct netlink_player *p, uint32_t ms);
void configure(struct netlink_player *p, uint32_t table, const char *vrf);
/** Play the end of an answer, or an error instead. */
void done(struct netlink_player *p, int error);
void answer_all(struct netlink_player *p);
struct fcn_netlink_counts counts_of(const struct netlink_player *p);
/**
 * Begin a conversation: the main table is empty, and interfaces 7 and 8 are those of ports 0 and 1.
 */
void start(struct netlink_player *p);

#endif /* TALK_H */
