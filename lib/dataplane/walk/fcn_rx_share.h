/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The shares of ports in the cycles of a worker.
 *
 * A busy worker receives as many packets from one port as from another, so a port whose packets
 * take ten times as long takes ten times as much of the worker. Therefore, while several ports have
 * packets and one of them more than the worker takes at once, cycles are shared instead: each such
 * port is charged for what its packets cost, and one that is ahead of the others waits until they
 * have had as much. Where no port is short, none waits, and nothing is counted.
 *
 * What packets of a port cost is measured by a counter that the program hands in, as the cycles of
 * stages are (fcn_stage_cycles.h); without it, as in virtual time, there are no shares. A turn
 * gathers packets of several ports, and its stages run over all of them, so only some turns are
 * measured, which receive from one port alone. In the others, packets are charged by that.
 *
 * Packets of other workers are not charged here. The worker that received them has charged what
 * they cost it, and what is left is a class queue.
 */

#ifndef FCN_RX_SHARE_H
#define FCN_RX_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_port_limit.h"

/** Cycles are counted in units of which so many are a cycle. */
#define FCN_RX_SHARE_UNIT 8

/** A port waits when it is so many bursts of the cheapest packets ahead of the one that had least:
 * so many more than a turn takes that ports with the same packets do not wait for each other. */
#define FCN_RX_SHARE_AHEAD 8

/** A port has waited at most so many turns when it is received from again, however dear its packets
 * are: FCN_RX_SHARE_SOME of them. */
#define FCN_RX_SHARE_WAIT 250
/** Drivers receive no fewer than this, some of them. */
#define FCN_RX_SHARE_SOME 8

/** The share of one port. Cycles are in units of 1 / FCN_RX_SHARE_UNIT. */
struct fcn_rx_share_port {
	uint64_t used;      /**< cycles that its packets took since ports compete */
	uint64_t burst;     /**< cycles that FCN_RX_BURST of its packets take; 0: not known yet */
	uint64_t last[2];   /**< the last two measurements of that */
	uint8_t unmeasured; /**< bursts that are charged before one is measured again */
	uint8_t waits;      /**< turns in a row in which it has waited */
	bool pauses; /**< the senders of its lossless classes are paused, as it has to wait */
	/** turns that it has waited since its queue was empty, while they were paused or might be
	 */
	uint16_t paused;
};

/** The shares of all ports at a worker. */
struct fcn_rx_share {
	bool is_wanted;     /**< the snapshot wants shares, and there is a counter */
	bool on;            /**< ports compete */
	uint8_t left;       /**< turns after which they do not any more, unless they do again */
	uint16_t last_port; /**< the port from which the turn before has received first */
	/** The only port from which this turn has received, and whose packets are measured;
	 * FCN_PORT_NONE: none are. */
	uint16_t measured;
	uint64_t began; /**< counter when they began to take cycles */
	uint64_t took;  /**< cycles that they took before that */
	uint64_t least; /**< what the port with least has used, of those with full bursts */
	uint64_t most;  /**< who has used more has to wait */
	struct fcn_rx_share_port port[FCN_MAX_PORTS];
};

#endif /* FCN_RX_SHARE_H */
