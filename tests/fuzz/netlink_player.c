/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rtnetlink.h>

#include "netlink_player.h"

#define SOCKET_PORT 4242
#define MS UINT64_C(1000000)

static void
check(bool right)
{
	if (!right)
		abort();
}

static int
player_send(void *arg, const void *msg, size_t len)
{
	struct netlink_player *p = arg;
	struct nlmsghdr hdr;

	check(len >= sizeof(hdr));
	memcpy(&hdr, msg, sizeof(hdr));
	check(hdr.nlmsg_len == len);
	p->seq = hdr.nlmsg_seq;
	p->question = hdr.nlmsg_type;
	p->asked++;
	if (p->n_refused == 0)
		return 0;
	p->n_refused--;
	return -p->refused;
}

static ssize_t
player_recv(void *arg, void *buf, size_t size)
{
	struct netlink_player *p = arg;
	ssize_t len = p->datagram_len;

	if (p->n_errors > 0) {
		p->n_errors--;
		return -p->error;
	}
	if (p->datagram == NULL)
		return -EAGAIN;
	if (len > 0)
		memcpy(buf, p->datagram, (size_t)len < size ? (size_t)len : size);
	p->datagram = NULL;
	return len;
}

void
netlink_player_open(struct netlink_player *p)
{
	struct fcn_netlink_io io = {player_send, player_recv, p, SOCKET_PORT};

	*p = (struct netlink_player){.store = fcn_kernel_store_create()};
	check(p->store != NULL);
	p->nl = fcn_netlink_create(&io, p->store);
	check(p->nl != NULL);
}

void
netlink_player_close(struct netlink_player *p)
{
	struct fcn_kernel_counts counts;

	fcn_kernel_store_clear(p->store);
	fcn_kernel_store_counts(p->store, &counts);
	check(counts.routes == 0 && counts.nexthops == 0 && counts.segment_lists == 0 &&
			counts.sids == 0);
#define CHECK_NONE(member, ...) check(counts.member == 0);
	FCN_RTNL_UNUSABLE(CHECK_NONE)
#undef CHECK_NONE
	fcn_netlink_free(p->nl);
	fcn_kernel_store_free(p->store);
	fcn_kernel_list_free(&p->list);
}

/* Each list that a path names is there, and packets can be sent by it. */
static void
check_segments(const struct netlink_player *p, const struct fcn_kernel_path *path)
{
	const uint8_t source[16] = {0x20, 1, 0xd, 0xb8};
	const uint64_t serial = fcn_kernel_path_serial(path);
	struct fcn_srv6_encaps encaps;
	size_t i = 0;

	while (i < p->n_segments && p->segments[i].serial != serial)
		i++;
	check(i < p->n_segments);
	struct fcn_srv6_encaps_conf conf = {.mode = p->segments[i].list.mode,
			.segments = p->segments[i].list.segment,
			.n_segments = p->segments[i].list.n};
	memcpy(conf.source, source, sizeof(source));
	check(fcn_srv6_encaps_init(&encaps, &conf) == 0);
}

/* Each SID that a path names is there, for its prefix. */
static void
check_sid(const struct netlink_player *p, const struct fcn_kernel_path *path)
{
	const uint64_t serial = fcn_kernel_path_serial(path);
	size_t i = 0;

	while (i < p->n_sids && p->sids[i].serial != serial)
		i++;
	check(i < p->n_sids);
	check(p->sids[i].serial & FCN_KERNEL_SID_SERIAL);
	check(p->sids[i].prefix.addr.version == 0 ||
			fcn_prefix_equal(&p->sids[i].prefix, &path->prefix));
}

/* Serials ascend, and slots differ. */
static void
check_lists(const struct netlink_player *p)
{
	bool used[FCN_SRV6_KERNEL_LISTS] = {false};

	for (size_t i = 0; i < p->n_segments; i++) {
		check(i == 0 || p->segments[i - 1].serial < p->segments[i].serial);
		check(p->segments[i].serial & FCN_KERNEL_SERIAL);
		check(p->segments[i].slot < FCN_SRV6_KERNEL_LISTS);
		check(!used[p->segments[i].slot]);
		used[p->segments[i].slot] = true;
	}
}

static void
check_list(const struct netlink_player *p)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < p->list.n; i++) {
		const struct fcn_kernel_path *path = &p->list.path[i];
		int d = i > 0 ? fcn_kernel_prefix_compare(path[-1].table, &path[-1].prefix,
						path->table, &path->prefix)
			      : -1;

		check(d <= 0);
		check(path->weight > 0);
		sum = path->weight + (d == 0 ? sum : 0);
		check(sum <= FCN_RTNL_MAX_PATHS);
		check(d != 0 || fcn_kernel_path_is_shared(path));
		if (path->type == FCN_KERNEL_SEGMENTS)
			check_segments(p, path);
		else if (path->type == FCN_KERNEL_SID)
			check_sid(p, path);
		else
			check(path->port < FCN_MAX_PORTS);
	}
}

void
netlink_player_apply(struct netlink_player *p)
{
	struct fcn_kernel_changes changes;
	struct fcn_kernel_neighbour *neighbours;
	struct fcn_kernel_own *own;
	struct fcn_kernel_path *whole;
	uint64_t left_out;
	size_t n;

	check(fcn_kernel_store_changes(p->store, &changes) == 0);
	check(fcn_kernel_list_change(&p->list, &changes) == 0);
	p->left_out = changes.left_out;
	fcn_kernel_changes_free(&changes);
	check(fcn_kernel_store_paths(p->store, &whole, &n, &left_out) == 0);
	check(n == p->list.n && left_out == p->left_out);
	for (size_t i = 0; i < n; i++) {
		const struct fcn_kernel_path *a = &whole[i], *b = &p->list.path[i];

		check(a->table == b->table && fcn_prefix_equal(&a->prefix, &b->prefix) &&
				a->protocol == b->protocol && a->weight == b->weight &&
				fcn_kernel_path_is_same_way(a, b));
	}
	free(whole);
	check(fcn_kernel_store_segments(p->store, &p->segments, &p->n_segments) == 0);
	check(fcn_kernel_store_sids(p->store, &p->sids, &p->n_sids) == 0);
	check_lists(p);
	check_list(p);
	free(p->segments);
	free(p->sids);
	check(fcn_kernel_store_neighbours(p->store, &neighbours, &n) == 0);
	free(neighbours);
	check(fcn_kernel_store_own(p->store, &own, &n) == 0);
	check(n <= FCN_KERNEL_MAX_OWN);
	for (size_t i = 0; i < n; i++) {
		check(own[i].table < FCN_MAX_TABLES && fcn_addr_is_unicast(&own[i].addr));
		check(i == 0 || own[i - 1].table <= own[i].table);
	}
	free(own);
}

static void
poll_once(struct netlink_player *p)
{
	p->due = fcn_netlink_poll(p->nl, p->now);
	/* It is never waited for the kernel to come by itself, but where nothing is wanted. */
	check(p->due != FCN_NETLINK_NEVER || fcn_netlink_state(p->nl) == FCN_NETLINK_OFF);
	check(fcn_netlink_state_name(fcn_netlink_state(p->nl))[0] != '?');
}

/* The answer that the kernel would give to the question that was asked. */
static void
address_to_us(const struct netlink_player *p, uint8_t *data, size_t len)
{
	struct nlmsghdr hdr;

	while (len >= sizeof(hdr)) {
		size_t step;

		memcpy(&hdr, data, sizeof(hdr));
		hdr.nlmsg_seq = p->seq;
		hdr.nlmsg_pid = SOCKET_PORT;
		memcpy(data, &hdr, sizeof(hdr));
		if (hdr.nlmsg_len < sizeof(hdr) || hdr.nlmsg_len > len)
			return;
		step = NLMSG_ALIGN(hdr.nlmsg_len);
		if (step > len)
			return;
		data += step;
		len -= step;
	}
}

/* On the heap, so that a sanitizer sees who reads behind it. */
static void
datagram(struct netlink_player *p, const uint8_t *data, size_t len, bool answer, size_t said)
{
	uint8_t *copy = malloc(len + 1);

	check(copy != NULL);
	memcpy(copy, data, len);
	if (answer)
		address_to_us(p, copy, len);
	p->datagram = copy;
	p->datagram_len = (ssize_t)said;
	poll_once(p);
	p->datagram = NULL;
	free(copy);
}

static uint32_t
number(const uint8_t *data, size_t len)
{
	uint32_t n = 0;

	memcpy(&n, data, len < sizeof(n) ? len : sizeof(n));
	return n;
}

/* Each table has 20 octets: the number of the kernel's table, and the name of a VRF. */
static void
configure(struct netlink_player *p, const uint8_t *data, size_t len)
{
	struct fcn_netlink_conf conf = {0};

	for (unsigned int t = 0; len > 0 && t < FCN_MAX_TABLES; t++) {
		struct fcn_netlink_table *to = &conf.table[t];
		size_t used = len < 4 + sizeof(to->vrf) ? len : 4 + sizeof(to->vrf);

		to->number = number(data, len);
		if (used > 4)
			memcpy(to->vrf, data + 4,
					used - 4 < sizeof(to->vrf) ? used - 4
								   : sizeof(to->vrf) - 1);
		data += used;
		len -= used;
	}
	fcn_netlink_configure(p->nl, &conf, p->now);
}

void
netlink_player_record(
		struct netlink_player *p, enum netlink_record kind, const uint8_t *data, size_t len)
{
	static uint8_t huge[FCN_NETLINK_BUFFER];

	switch (kind) {
	case NETLINK_CONFIGURE:
		configure(p, data, len);
		break;
	case NETLINK_PORT:
		if (len > 1)
			fcn_kernel_store_set_port(p->store, data[0] % FCN_MAX_PORTS,
					number(data + 1, len - 1));
		break;
	case NETLINK_CHANGE:
	case NETLINK_ANSWER:
		datagram(p, data, len, kind == NETLINK_ANSWER, len);
		break;
	case NETLINK_LONG:
		memcpy(huge, data, len < sizeof(huge) ? len : sizeof(huge));
		datagram(p, huge, sizeof(huge), false, sizeof(huge) + 1);
		break;
	case NETLINK_TIME:
		p->now += (number(data, len) % 100000) * MS;
		poll_once(p);
		break;
	case NETLINK_ERROR:
		p->error = len > 0 && data[0] != 0 ? data[0] : ENOBUFS;
		p->n_errors = len > 1 ? data[1] : 1;
		poll_once(p);
		break;
	case NETLINK_REFUSE:
		p->refused = len > 0 && data[0] != 0 ? data[0] : ENOBUFS;
		p->n_refused = len > 1 ? data[1] : 1;
		break;
	default:
		netlink_player_apply(p);
	}
}

bool
netlink_player_play(struct netlink_player *p, const uint8_t *data, size_t size)
{
	while (size >= 3) {
		size_t len = data[1] | (size_t)data[2] << 8;

		if (len > size - 3)
			return false;
		netlink_player_record(p, data[0] % NETLINK_KINDS, data + 3, len);
		data += 3 + len;
		size -= 3 + len;
	}
	return size == 0;
}
