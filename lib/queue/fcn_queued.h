/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Facts about a queued packet that do not fit into its queue entry. They are kept in a dynamic
 * field of the mbuf while the packet is queued, and while it is passed to another worker.
 */

#ifndef FCN_QUEUED_H
#define FCN_QUEUED_H

#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

/** Facts about a queued packet. Each field is valid only if the queue entry has the flag named with
 * it. */
struct fcn_queued {
	/** FCN_ENTRY_NOTED: port that received the packet; of a sub-interface, its parent port */
	uint16_t in_port;
	uint16_t vlan;        /**< FCN_ENTRY_NOTED: VLAN of a bridged packet; 0: it was routed */
	uint16_t account;     /**< FCN_ENTRY_LOSSLESS: number of the worker whose account the packet
				 is charged to: its index among those of the switch */
	uint16_t delay_off;   /**< FCN_ENTRY_IOAM: offset of the IOAM transit delay in the frame,
				 bytes */
	uint32_t flow;        /**< FCN_ENTRY_FLOW: slot of the flow in struct fcn_flow_occupancy */
	uint8_t trace;        /**< FCN_ENTRY_TRACED: 1 + number of the packet trace */
	uint8_t trace_clears; /**< on a cross-core ring: see fcn_trace_stamp() */
	/** FCN_ENTRY_NOTED: fcn_wire_proxy_front() of the packet */
	uint16_t proxy_front;
};

/**
 * Register the dynamic field, or look it up if it is registered already. To be called after
 * rte_eal_init(), by one thread at a time.
 *
 * @return offset of the field in an mbuf in bytes, or a negative errno
 */
int fcn_queued_register(void);

/** Get the field of an mbuf. @param offset result of fcn_queued_register() */
static inline struct fcn_queued *
fcn_queued_at(const struct rte_mbuf *m, int offset)
{
	return RTE_MBUF_DYNFIELD(m, offset, struct fcn_queued *);
}

#endif /* FCN_QUEUED_H */
