/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "rdma_nl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/socket.h>

/* Attributes that have not been read yet. */
struct attrs {
	const uint8_t *data;
	size_t left;
};

struct attr {
	unsigned int type;
	size_t len;
	const uint8_t *data;
};

struct reading {
	const struct rdma_nl_sink *sink;
	uint32_t device;
	bool bad; /* a length was wrong */
};

static size_t
align(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* @return false at the end, and where an attribute is longer than what is left */
static bool
next_attr(struct reading *r, struct attrs *a, struct attr *out)
{
	struct nlattr header;
	size_t step;

	if (a->left == 0)
		return false;
	if (a->left < sizeof(header)) {
		r->bad = true;
		return false;
	}
	memcpy(&header, a->data, sizeof(header));
	if (header.nla_len < sizeof(header) || header.nla_len > a->left) {
		r->bad = true;
		return false;
	}
	out->type = header.nla_type & NLA_TYPE_MASK;
	out->len = header.nla_len - sizeof(header);
	out->data = a->data + sizeof(header);
	step = align(header.nla_len);
	if (step > a->left)
		step = a->left;
	a->data += step;
	a->left -= step;
	return true;
}

static struct attrs
inner(const struct attr *a)
{
	return (struct attrs){a->data, a->len};
}

static uint32_t
get_u32(struct reading *r, const struct attr *a)
{
	uint32_t value = 0;

	if (a->len < sizeof(value))
		r->bad = true;
	else
		memcpy(&value, a->data, sizeof(value));
	return value;
}

static uint8_t
get_u8(struct reading *r, const struct attr *a)
{
	if (a->len >= 1)
		return a->data[0];
	r->bad = true;
	return 0;
}

/* The address of a socket; the kernel sends a whole sockaddr_storage. */
static bool
get_address(const struct attr *a, uint8_t out[16])
{
	sa_family_t family;

	if (a->len < sizeof(family))
		return false;
	memcpy(&family, a->data, sizeof(family));
	if (family == AF_INET && a->len >= sizeof(struct sockaddr_in)) {
		memset(out, 0, 10);
		memset(out + 10, 0xFF, 2);
		memcpy(out + 12, a->data + offsetof(struct sockaddr_in, sin_addr), 4);
		return true;
	}
	if (family == AF_INET6 && a->len >= sizeof(struct sockaddr_in6)) {
		memcpy(out, a->data + offsetof(struct sockaddr_in6, sin6_addr), 16);
		return true;
	}
	return false;
}

static void
read_qp(struct reading *r, struct attrs a)
{
	struct rdma_nl_qp qp = {.device = r->device};
	bool has_number = false;
	struct attr t;

	while (next_attr(r, &a, &t)) {
		switch (t.type) {
		case RDMA_NLDEV_ATTR_RES_LQPN:
			qp.local_qp = get_u32(r, &t);
			has_number = true;
			break;
		case RDMA_NLDEV_ATTR_RES_RQPN:
			qp.remote_qp = get_u32(r, &t);
			qp.has_remote = true;
			break;
		case RDMA_NLDEV_ATTR_RES_TYPE:
			qp.type = get_u8(r, &t);
			break;
		case RDMA_NLDEV_ATTR_RES_STATE:
			qp.state = get_u8(r, &t);
			break;
		case RDMA_NLDEV_ATTR_RES_PID:
			qp.pid = get_u32(r, &t);
			break;
		case RDMA_NLDEV_ATTR_RES_KERN_NAME:
			qp.is_kernel = true;
			break;
		}
	}
	if (has_number && !r->bad && r->sink->qp != NULL)
		r->sink->qp(r->sink->arg, &qp);
}

static void
read_cm_id(struct reading *r, struct attrs a)
{
	struct rdma_nl_cm_id id = {.device = r->device};
	bool has_local = false, has_remote = false;
	struct attr t;

	while (next_attr(r, &a, &t)) {
		switch (t.type) {
		case RDMA_NLDEV_ATTR_RES_LQPN:
			id.local_qp = get_u32(r, &t);
			break;
		case RDMA_NLDEV_ATTR_RES_PID:
			id.pid = get_u32(r, &t);
			break;
		case RDMA_NLDEV_ATTR_RES_KERN_NAME:
			id.is_kernel = true;
			break;
		case RDMA_NLDEV_ATTR_RES_SRC_ADDR:
			has_local = get_address(&t, id.local);
			break;
		case RDMA_NLDEV_ATTR_RES_DST_ADDR:
			has_remote = get_address(&t, id.remote);
			break;
		}
	}
	id.has_addresses = has_local && has_remote;
	if (!r->bad && r->sink->cm_id != NULL)
		r->sink->cm_id(r->sink->arg, &id);
}

/* The entries of a table. */
static void
read_table(struct reading *r, struct attrs a, unsigned int entry,
		void (*read)(struct reading *r, struct attrs a))
{
	struct attr t;

	while (!r->bad && next_attr(r, &a, &t))
		if (t.type == entry)
			read(r, inner(&t));
}

/* The kernel puts index and name of the device in front of the resources. */
static void
read_resources(struct reading *r, struct attrs a)
{
	struct attr t;

	while (!r->bad && next_attr(r, &a, &t)) {
		if (t.type == RDMA_NLDEV_ATTR_DEV_INDEX)
			r->device = get_u32(r, &t);
		else if (t.type == RDMA_NLDEV_ATTR_RES_QP)
			read_table(r, inner(&t), RDMA_NLDEV_ATTR_RES_QP_ENTRY, read_qp);
		else if (t.type == RDMA_NLDEV_ATTR_RES_CM_ID)
			read_table(r, inner(&t), RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, read_cm_id);
	}
}

static void
read_device(struct reading *r, struct attrs a)
{
	char name[RDMA_NL_NAME_SIZE] = "";
	bool has_index = false, is_roce = true;
	uint32_t index = 0;
	struct attr t;

	while (next_attr(r, &a, &t)) {
		if (t.type == RDMA_NLDEV_ATTR_DEV_INDEX) {
			index = get_u32(r, &t);
			has_index = true;
		} else if (t.type == RDMA_NLDEV_ATTR_DEV_NAME) {
			const size_t n = strnlen((const char *)t.data, t.len);

			if (n >= sizeof(name)) {
				r->bad = true;
				return;
			}
			memcpy(name, t.data, n);
			name[n] = '\0';
		} else if (t.type == RDMA_NLDEV_ATTR_DEV_PROTOCOL) {
			is_roce = strnlen((const char *)t.data, t.len) == 4 &&
				  memcmp(t.data, "roce", 4) == 0;
		}
	}
	if (has_index && !r->bad && r->sink->device != NULL)
		r->sink->device(r->sink->arg, index, name, is_roce);
}

/* Both a refusal and the end of a dump begin with a negative errno, which an old end lacks. */
static void
read_end(struct reading *r, const struct attrs *body)
{
	int error = 0;

	if (body->left >= sizeof(error))
		memcpy(&error, body->data, sizeof(error));
	if (r->sink->end != NULL)
		r->sink->end(r->sink->arg, error > 0 ? -EPROTO : error);
}

static void
read_message(struct reading *r, unsigned int type, const struct attrs *body)
{
	switch (type) {
	case NLMSG_DONE:
	case NLMSG_ERROR:
		read_end(r, body);
		break;
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET):
		read_device(r, *body);
		break;
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_QP_GET):
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_CM_ID_GET):
		read_resources(r, *body);
		break;
	}
}

int
rdma_nl_read(const uint8_t *data, size_t len, uint32_t seq, const struct rdma_nl_sink *sink)
{
	bool bad = false;

	while (len > 0) {
		struct reading r = {.sink = sink};
		struct nlmsghdr header;
		struct attrs body;
		size_t step;

		if (len < sizeof(header))
			return -EBADMSG;
		memcpy(&header, data, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > len)
			return -EBADMSG;
		body = (struct attrs){data + sizeof(header), header.nlmsg_len - sizeof(header)};
		if (header.nlmsg_seq == seq)
			read_message(&r, header.nlmsg_type, &body);
		bad |= r.bad;
		step = align(header.nlmsg_len);
		if (step > len)
			step = len;
		data += step;
		len -= step;
	}
	return bad ? -EBADMSG : 0;
}

size_t
rdma_nl_request(uint8_t out[RDMA_NL_REQUEST_SIZE], enum rdma_nl_dump what, uint32_t device,
		uint32_t seq)
{
	static const uint8_t command[] = {[RDMA_NL_DEVICES] = RDMA_NLDEV_CMD_GET,
			[RDMA_NL_QPS] = RDMA_NLDEV_CMD_RES_QP_GET,
			[RDMA_NL_CM_IDS] = RDMA_NLDEV_CMD_RES_CM_ID_GET};
	const struct nlattr index = {sizeof(index) + sizeof(device), RDMA_NLDEV_ATTR_DEV_INDEX};
	struct nlmsghdr header = {.nlmsg_len = sizeof(header),
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command[what]),
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			.nlmsg_seq = seq};

	if (what != RDMA_NL_DEVICES) {
		memcpy(out + sizeof(header), &index, sizeof(index));
		memcpy(out + sizeof(header) + sizeof(index), &device, sizeof(device));
		header.nlmsg_len += index.nla_len;
	}
	memcpy(out, &header, sizeof(header));
	return header.nlmsg_len;
}
