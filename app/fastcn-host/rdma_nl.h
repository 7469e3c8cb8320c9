/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reader of rdma netlink (rdma/rdma_netlink.h of Linux): devices, and the resources QP and CM_ID.
 * Pure functions over octets, which read nothing past the end of them.
 *
 * Thread safety: all functions may be called at any time.
 */

#ifndef RDMA_NL_H
#define RDMA_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RDMA_NL_NAME_SIZE 64    /**< of a device, with terminator */
#define RDMA_NL_REQUEST_SIZE 24 /**< of the longest request */
#define RDMA_NL_TYPE_RC 2       /**< rdma_nl_qp.type of reliable connections */

/** A queue pair. */
struct rdma_nl_qp {
	uint32_t device; /**< index */
	uint32_t local_qp, remote_qp;
	uint32_t pid;   /**< of the thread that has made it; 0: not told */
	bool is_kernel; /**< it is the kernel's own */
	bool has_remote;
	uint8_t type, state; /**< enum ib_qp_type, enum ib_qp_state of Linux */
};

/** A connection of RDMA CM, or one that is to come. */
struct rdma_nl_cm_id {
	uint32_t device;
	uint32_t local_qp; /**< 0: none yet */
	uint32_t pid;      /**< as in struct rdma_nl_qp */
	bool is_kernel;
	bool has_addresses;            /**< both, of IP */
	uint8_t local[16], remote[16]; /**< as in struct host_qp */
};

/** Who gets what was read; each may be NULL. */
struct rdma_nl_sink {
	/** is_roce: false if it is InfiniBand or iWARP; an old kernel does not say, and then it is
	 * true */
	void (*device)(void *arg, uint32_t index, const char *name, bool is_roce);
	void (*qp)(void *arg, const struct rdma_nl_qp *qp);
	void (*cm_id)(void *arg, const struct rdma_nl_cm_id *id);
	void (*end)(void *arg,
			int error); /**< the answer is complete; error: negative errno, or 0 */
	void *arg;
};

/** What to ask for: all devices, or the resources of one of them. */
enum rdma_nl_dump {
	RDMA_NL_DEVICES,
	RDMA_NL_QPS,
	RDMA_NL_CM_IDS
};

/**
 * Build the request for a dump.
 *
 * @param device index; of no meaning for RDMA_NL_DEVICES
 * @param seq    number by which the answer is recognised
 * @return its length
 */
size_t rdma_nl_request(uint8_t out[RDMA_NL_REQUEST_SIZE], enum rdma_nl_dump what, uint32_t device,
		uint32_t seq);

/**
 * Read the messages of one datagram.
 *
 * @param seq messages with another number are passed over
 * @return 0; -EBADMSG if a length in it was wrong: what was told before it is right
 */
int rdma_nl_read(const uint8_t *data, size_t len, uint32_t seq, const struct rdma_nl_sink *sink);

#endif /* RDMA_NL_H */
