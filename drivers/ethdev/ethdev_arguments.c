/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Checks for arguments with which drivers of DPDK 22.11 crash, wait forever or lose packets instead
 * of returning an error. Such arguments are refused before the driver gets them.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_packet.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

#include "ethdev_impl.h"

/* Valid range of an argument of a driver. */
struct range {
	const char *driver; /* prefix of the names of its devices */
	const char *key;
	uint64_t low, high;
};

/* Value of an upper limit that is only known later: the data room of a packet buffer. */
#define ROOM 0

static const struct range ranges[] = {
		{"net_null", "size", 1,
				ROOM}, /* a larger packet is written past the end of the buffer */
		/* Opening 300 queues takes half a minute. */
		{"net_af_packet", "qpairs", 1, FCN_ETHDEV_MAX_QUEUES},
		{"net_af_packet", "framesz", 128, UINT16_MAX},
		{"net_af_packet", "framecnt", 2, 65536},
		{"net_memif", "rsize", 1, 14},
		{"net_memif", "bsize", 1, UINT16_MAX},
		{"net_memif", "id", 0, UINT32_MAX},
		{"net_vhost", "queues", 1, FCN_ETHDEV_MAX_QUEUES},
		{"net_virtio_user", "queues", 1, 8},
};

/*
 * net_tap passes the file descriptors of all receive and transmit queues to other processes, in a
 * message with room for 8 descriptors. With more, it writes past the end of the message.
 */
#define TAP_QUEUES 4

struct request {
	const char *name;
	const char *arguments; /* arguments behind the name, from the first comma on, or "" */
	uint32_t room;         /* data room of a packet buffer in bytes */
	uint16_t queues;
	bool known; /* the device is attached to EAL already */
};

static bool
is_of(const struct request *r, const char *driver)
{
	return strncmp(r->name, driver, strlen(driver)) == 0;
}

/* Find an argument. @return the text after "key=", or NULL */
static const char *
find_argument(const char *arguments, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = strchr(arguments, ','); at != NULL; at = strchr(at + 1, ',')) {
		if (strncmp(at + 1, key, len) == 0 && at[1 + len] == '=')
			return at + 2 + len;
	}
	return NULL;
}

uint64_t
ethdev_argument(const char *arguments, const char *key, uint64_t otherwise)
{
	const char *value = find_argument(arguments, key);

	return value == NULL ? otherwise : strtoull(value, NULL, 0);
}

void
ethdev_argument_text(const char *arguments, const char *key, const char *otherwise, char *text,
		size_t size)
{
	const char *value = find_argument(arguments, key);

	if (value == NULL)
		snprintf(text, size, "%s", otherwise);
	else
		snprintf(text, size, "%.*s", (int)strcspn(value, ","), value);
}

static int
refuse_range(const struct request *r, const struct range *range, char *err, size_t err_size)
{
	uint64_t high = range->high == ROOM ? r->room : range->high;
	const char *value = find_argument(r->arguments, range->key);
	char *end;
	uint64_t number;

	if (value == NULL)
		return 0;
	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno == 0 && *value != '-' && end != value && (*end == ',' || *end == '\0') &&
			number >= range->low && number <= high)
		return 0;
	snprintf(err, err_size, "device %s: %s is %" PRIu64 " to %" PRIu64 ", not %.*s", r->name,
			range->key, range->low, high, (int)strcspn(value, ","), value);
	return -ERANGE;
}

static int
refuse_tap(const struct request *r, char *err, size_t err_size)
{
	if (r->queues <= TAP_QUEUES)
		return 0;
	snprintf(err, err_size, "device %s: net_tap has at most %u receive queues, not %u", r->name,
			TAP_QUEUES, r->queues);
	return -ERANGE;
}

/*
 * Refuse sizes of rings that lose frames. The driver computes frame addresses without gaps between
 * blocks, but the kernel starts each block with a new frame. Received frames also have to fit into
 * one packet buffer.
 */
static int
refuse_af_packet(const struct request *r, char *err, size_t err_size)
{
	uint64_t block = ethdev_argument(r->arguments, "blocksz", ETHDEV_PAGE);
	uint64_t frame = ethdev_argument(r->arguments, "framesz", ETHDEV_AF_PACKET_FRAME);
	uint64_t count = ethdev_argument(r->arguments, "framecnt", ETHDEV_AF_PACKET_FRAMES);
	uint64_t pairs = ethdev_argument(r->arguments, "qpairs", 1);

	if (block == 0 || block % ETHDEV_PAGE != 0 || block > INT32_MAX)
		snprintf(err, err_size, "device %s: blocksz is a multiple of %u, not %" PRIu64,
				r->name, ETHDEV_PAGE, block);
	else if (frame % TPACKET_ALIGNMENT != 0 || frame > block || block % frame != 0)
		snprintf(err, err_size,
				"device %s: framesz is a multiple of %u that blocksz (%" PRIu64
				") is a multiple of, not %" PRIu64,
				r->name, TPACKET_ALIGNMENT, block, frame);
	else if (count % (block / frame) != 0)
		snprintf(err, err_size,
				"device %s: framecnt is a multiple of the %" PRIu64
				" frames in a block, not %" PRIu64,
				r->name, block / frame, count);
	else if (frame - ETHDEV_AF_PACKET_HEADER > r->room)
		snprintf(err, err_size,
				"device %s: framesz is at most %u: a frame has to fit into a "
				"packet buffer",
				r->name, r->room + ETHDEV_AF_PACKET_HEADER);
	else if (pairs > r->queues)
		snprintf(err, err_size,
				"device %s: the kernel would spread packets over %" PRIu64
				" queues (qpairs), and the port receives from %u: add it with "
				"queues %" PRIu64,
				r->name, pairs, r->queues, pairs);
	else
		return 0;
	return -EINVAL;
}

/* Refuse a server: the driver would wait for its peer while it is being probed, without a limit. */
static int
refuse_virtio_user(const struct request *r, char *err, size_t err_size)
{
	if (r->known || ethdev_argument(r->arguments, "server", 0) == 0)
		return 0;
	snprintf(err, err_size,
			"device %s: with server=1 it would wait for its other end, and fastcn with "
			"it: "
			"let the other end be the server, or give it to EAL (--vdev)",
			r->name);
	return -EINVAL;
}

static int
refuse_ring(const struct request *r, char *err, size_t err_size)
{
	if (find_argument(r->arguments, "nodeaction") == NULL)
		return 0;
	snprintf(err, err_size, "device %s: nodeaction makes devices of other names", r->name);
	return -EINVAL;
}

static const struct {
	const char *driver;
	int (*refuse)(const struct request *r, char *err, size_t err_size);
} checks[] = {
		{"net_tap", refuse_tap},
		{"net_af_packet", refuse_af_packet},
		{"net_virtio_user", refuse_virtio_user},
		{"net_ring", refuse_ring},
};

static int
refuse(const struct request *r, char *err, size_t err_size)
{
	int rc;

	for (size_t i = 0; i < RTE_DIM(ranges); i++) {
		rc = is_of(r, ranges[i].driver) ? refuse_range(r, &ranges[i], err, err_size) : 0;
		if (rc != 0)
			return rc;
	}
	for (size_t i = 0; i < RTE_DIM(checks); i++) {
		rc = is_of(r, checks[i].driver) ? checks[i].refuse(r, err, err_size) : 0;
		if (rc != 0)
			return rc;
	}
	return 0;
}

/*
 * Get the arguments of a device that is attached to EAL already. They are those that EAL got; the
 * arguments behind the name here are ignored.
 */
static const char *
known_arguments(const char *name, char *buffer, size_t size)
{
	struct rte_eth_dev_info info;
	uint16_t port_id;

	if (rte_eth_dev_get_port_by_name(name, &port_id) != 0)
		return NULL;
	buffer[0] = '\0';
	if (rte_eth_dev_info_get(port_id, &info) == 0 && info.device != NULL &&
			rte_dev_devargs(info.device) != NULL &&
			rte_dev_devargs(info.device)->args != NULL)
		snprintf(buffer, size, ",%s", rte_dev_devargs(info.device)->args);
	return buffer;
}

void
ethdev_arguments(const char *device, char *arguments, size_t size)
{
	size_t len = strcspn(device, ",");
	char name[ETHDEV_NAME_LEN];

	snprintf(name, sizeof(name), "%.*s", (int)len, device);
	if (known_arguments(name, arguments, size) == NULL)
		snprintf(arguments, size, "%s", device + len);
}

int
ethdev_refuse(const char *device, const struct rte_mempool *pool, uint16_t queues, char *err,
		size_t err_size)
{
	char name[ETHDEV_NAME_LEN], arguments[ETHDEV_ARGUMENTS_LEN];
	struct request r = {.name = name, .arguments = arguments, .queues = queues};
	uint16_t port_id;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(device, ","), device);
	ethdev_arguments(device, arguments, sizeof(arguments));
	r.known = rte_eth_dev_get_port_by_name(name, &port_id) == 0;
	r.room = rte_pktmbuf_data_room_size((struct rte_mempool *)(uintptr_t)pool) -
		 RTE_PKTMBUF_HEADROOM;
	return refuse(&r, err, err_size);
}
