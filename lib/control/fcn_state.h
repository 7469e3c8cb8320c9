/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a switch has learned, as a text that another process can begin with: addresses of ports that
 * passed duplicate address detection, neighbours, senders that refuse notices, proxies and END.CON
 * SIDs of routing protocols, MAC addresses of bridges.
 *
 * The text has a line for each thing, with its age or the rest of its lifetime:
 *
 *     fastcn-state 1 1790000000000000000          version, nanoseconds since 1970
 *     address p1 2001:db8:1::fe
 *     neighbour p1 2001:db8:1::1 02:00:00:00:01:01
 *     sender fast_cnp 2001:db8:3::1 590            seconds left
 *     proxy bgp 2001:db8:4::/48 2001:db8:f::1 100 seconds left
 *     sid isis 2001:db8:5::1 100                  END.CON, seconds left
 *     mac br0 1 02:00:00:00:02:01 p2 12           bridge, VLAN, address, port, age in seconds
 *     end 6 0123456789abcdef                      lines before, and their checksum
 *
 * Not thread safe: the control thread makes all calls but fcn_state_write(). The wall clock is the
 * caller's.
 */

#ifndef FCN_STATE_H
#define FCN_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct fcn_control;
struct fcn_state;

/** Longest time, ns, for which an address or a neighbour counts as known although no switch was
 * there to hear of it. */
#define FCN_STATE_KNOWN_NS UINT64_C(60000000000)

/** Longest text, bytes, that is read. */
#define FCN_STATE_MAX_BYTES (UINT32_C(32) << 20)

/**
 * Copy what a switch has learned. Workers copy their MAC addresses in portions, between two turns.
 *
 * @param wall_ns nanoseconds since 1970
 * @return NULL when memory is exhausted
 */
struct fcn_state *fcn_state_create(struct fcn_control *ctl, uint64_t wall_ns);

/** Free a copy. NULL is allowed. */
void fcn_state_free(struct fcn_state *state);

/**
 * Write a copy as text. Any thread may do it as long as the configuration is the same.
 *
 * @param text written: the text, to be freed with free()
 * @param len  written: its length
 * @return 0; -ENOMEM
 */
int fcn_state_write(const struct fcn_state *state, char **text, size_t *len);

/** What became of the lines of a text. */
struct fcn_state_result {
	uint64_t age_ns;      /**< time since the text was made */
	unsigned int taken;   /**< used */
	unsigned int expired; /**< too old */
	unsigned int skipped; /**< not of this configuration, known already, or without room */
};

/**
 * Begin with what a text says. To be called when the configuration is in force, before packets are
 * forwarded. The text may have any content: one that is not whole and valid is refused, and nothing
 * of it is used.
 *
 * @param text    the text; it need not end with a NUL
 * @param wall_ns nanoseconds since 1970
 * @param err     one line, on failure
 * @return 0; -EINVAL: the text is not valid, or is of the future; -ENOMEM
 */
int fcn_state_apply(struct fcn_control *ctl, const char *text, size_t len, uint64_t wall_ns,
		struct fcn_state_result *result, char *err, size_t err_size);

#endif /* FCN_STATE_H */
