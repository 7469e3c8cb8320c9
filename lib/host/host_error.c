/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "host_state.h"
#include "fcn_icmp4.h"
#include "fcn_icmp6.h"
#include "fcn_srv6_error.h"

#define IP4_SRC_OFF 12
#define IP4_DST_OFF 16
#define IP6_SRC_OFF 8

#define IP6_MIN_MTU 1280

struct form {
	bool known;
	uint8_t type, code;
};

static const struct form form6[] = {
		[FCN_HOST_ERROR_NO_ROUTE] = {true, FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ROUTE},
		[FCN_HOST_ERROR_ADDRESS] = {true, FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ADDRESS},
		[FCN_HOST_ERROR_PORT] = {true, FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_PORT},
		[FCN_HOST_ERROR_PROTOCOL] = {true, FCN_ICMP6_PARAM_PROBLEM,
				FCN_ICMP6_BAD_NEXT_HEADER},
		[FCN_HOST_ERROR_HOP_LIMIT] = {true, FCN_ICMP6_TIME_EXCEEDED, FCN_ICMP6_HOP_LIMIT},
		[FCN_HOST_ERROR_MTU] = {true, FCN_ICMP6_TOO_BIG, 0},
		[FCN_HOST_ERROR_FIELD] = {true, FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD},
		[FCN_HOST_ERROR_OPTION] = {true, FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_OPTION},
		[FCN_HOST_ERROR_SR_UPPER_LAYER] = {true, FCN_ICMP6_PARAM_PROBLEM,
				FCN_ICMP6_SR_UPPER_LAYER},
		[FCN_HOST_ERROR_ENDCON] = {true, FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_SR_UPPER_LAYER},
};

static const struct form form4[] = {
		[FCN_HOST_ERROR_NO_ROUTE] = {true, FCN_ICMP4_UNREACHABLE, FCN_ICMP4_NET},
		[FCN_HOST_ERROR_ADDRESS] = {true, FCN_ICMP4_UNREACHABLE, FCN_ICMP4_HOST},
		[FCN_HOST_ERROR_PORT] = {true, FCN_ICMP4_UNREACHABLE, FCN_ICMP4_PORT},
		[FCN_HOST_ERROR_PROTOCOL] = {true, FCN_ICMP4_UNREACHABLE, FCN_ICMP4_PROTOCOL},
		[FCN_HOST_ERROR_HOP_LIMIT] = {true, FCN_ICMP4_TIME_EXCEEDED, FCN_ICMP4_TTL},
		[FCN_HOST_ERROR_MTU] = {true, FCN_ICMP4_UNREACHABLE, FCN_ICMP4_FRAG_NEEDED},
		[FCN_HOST_ERROR_FIELD] = {true, FCN_ICMP4_PARAM_PROBLEM, FCN_ICMP4_POINTER},
		[FCN_HOST_ERROR_OPTION] = {false, 0, 0},
		[FCN_HOST_ERROR_SR_UPPER_LAYER] = {false, 0, 0},
		[FCN_HOST_ERROR_ENDCON] = {false, 0, 0},
};

enum fcn_host_error
fcn_host_error_of(const struct fcn_icmp6_error *e)
{
	for (unsigned int i = 0; i < FCN_HOST_ERROR_COUNT; i++) {
		if (form6[i].type == e->type && form6[i].code == e->code)
			return i;
	}
	return FCN_HOST_ERROR_FIELD;
}

/* A packet about which an ICMP error is to be sent. */
struct cause {
	const uint8_t *ip;
	uint32_t len; /* readable */
	bool link_group;
	struct fcn_addr src, dst;
};

static bool
may_answer6(const struct cause *c, const struct fcn_icmp6_error *e)
{
	return fcn_icmp6_may_answer(e, c->ip, c->len, c->link_group);
}

/*
 * Whether the host bits of an IPv4 address are all ones, or all zeros, in a subnet of the switch.
 */
static bool
is_subnet_group(const struct fcn_host *h, const uint8_t bytes[4])
{
	struct fcn_addr a = fcn_host_addr4(bytes);

	for (uint32_t i = 0; i < h->n_addresses; i++) {
		const struct fcn_prefix *p = &h->address[i].is.prefix;
		uint32_t host;

		if (p->len >= 31 || !fcn_prefix_contains(p, &a) ||
				!fcn_host_address_is_here(h, &h->address[i]))
			continue;
		host = fcn_get_be32(bytes) & (UINT32_MAX >> p->len);
		if (host == 0 || host == UINT32_MAX >> p->len)
			return true;
	}
	return false;
}

static bool
may_answer4(const struct fcn_host *h, const struct cause *c)
{
	bool group = c->link_group || is_subnet_group(h, c->ip + IP4_SRC_OFF) ||
		     is_subnet_group(h, c->ip + IP4_DST_OFF);

	return fcn_icmp4_may_answer(c->ip, c->len, group);
}

/*
 * Get the port whose addresses are sources of a message: for ICMPv6, that by which the packet came
 * in, which tells most (RFC 4443 section 2.2 (b)); for ICMP, that by which the message leaves (RFC
 * 1812 section 4.3.2.4).
 */
static uint16_t
port_of(struct fcn_host *h, const struct cause *c, uint16_t in_port)
{
	struct fcn_host_route route = {.port = in_port};

	if (c->src.version == 6 || !h->env.route(h->env.arg, h->table, &c->src, &route) ||
			route.by_policy)
		return in_port;
	return route.port;
}

/*
 * Choose the source address of a message. About a packet to an address of the switch it is this
 * address (RFC 4443 section 2.2 (a), RFC 1122 section 3.2.1.3), and so it is about one to END.CON.
 *
 * @return NULL when there is none
 */
static const struct fcn_addr *
source(struct fcn_host *h, const struct cause *c, uint16_t in_port, enum fcn_host_error error)
{
	if (error == FCN_HOST_ERROR_ENDCON || fcn_host_is_to_us(h, in_port, &c->dst))
		return &c->dst;
	return fcn_host_address_answering(h, port_of(h, c, in_port), &c->src);
}

static uint32_t
build(const struct cause *c, const struct fcn_icmp6_error *e, const struct fcn_addr *src,
		uint8_t *buf, uint32_t room)
{
	struct fcn_icmp4_error e4 = {.type = e->type,
			.code = e->code,
			.param = (uint16_t)RTE_MIN(e->param, (uint32_t)UINT16_MAX)};

	if (c->src.version == 6)
		return fcn_icmp6_build_error(
				e, src->bytes, FCN_HOST_HOP_LIMIT, c->ip, c->len, buf, room);
	return fcn_icmp4_build_error(
			&e4, src->bytes, FCN_HOST_HOP_LIMIT, 0, c->ip, c->len, buf, room);
}

void
fcn_host_error(struct fcn_host *h, const struct rte_mbuf *m, uint16_t l3_off, uint16_t in_port,
		enum fcn_host_error error, uint32_t param, uint64_t now)
{
	uint8_t copy[FCN_ICMP6_ERROR_MAX];
	struct cause c = {.link_group = false};
	const struct fcn_addr *src;
	const struct form *form;
	struct rte_mbuf *answer;
	struct fcn_icmp6_error e;
	uint32_t room, len;
	uint8_t version;
	uint8_t *buf;
	bool may;

	if (fcn_host_ip_len(m, l3_off, &version) == 0) {
		fcn_host_count(h, FCN_HOST_ERROR_UNDUE);
		return;
	}
	form = version == 6 ? &form6[error] : &form4[error];
	e = (struct fcn_icmp6_error){.type = form->type, .code = form->code, .param = param};
	if (error == FCN_HOST_ERROR_MTU && version == 6)
		e.param = RTE_MAX(param, (uint32_t)IP6_MIN_MTU);
	else if (error == FCN_HOST_ERROR_PROTOCOL && version == 4)
		e.param = 0;
	c.len = RTE_MIN(m->pkt_len - l3_off, (uint32_t)sizeof(copy));
	c.ip = rte_pktmbuf_read(m, l3_off, c.len, copy);
	if (l3_off >= FCN_HOST_L2_LEN)
		c.link_group = rte_is_multicast_ether_addr(
				&rte_pktmbuf_mtod(m, const struct rte_ether_hdr *)->dst_addr);
	c.src = version == 6 ? fcn_host_addr6(c.ip + IP6_SRC_OFF)
			     : fcn_host_addr4(c.ip + IP4_SRC_OFF);
	c.dst = fcn_host_ip_dst(m, l3_off);
	may = form->known && !fcn_host_address_is_ours(h, &c.src) &&
	      (version == 6 ? may_answer6(&c, &e) : may_answer4(h, &c));
	src = may ? source(h, &c, in_port, error) : NULL;
	if (src == NULL) {
		fcn_host_count(h, FCN_HOST_ERROR_UNDUE);
		return;
	}
	if (!fcn_host_take(&h->errors[in_port][error], &h->conf.icmp_errors, now)) {
		fcn_host_count(h, FCN_HOST_ERROR_LIMITED);
		return;
	}
	answer = fcn_host_alloc(h);
	if (answer == NULL)
		return;
	buf = fcn_host_room(answer, &room);
	len = build(&c, &e, src, buf, room);
	if (len == 0) {
		fcn_host_discard(h, answer, FCN_HOST_NO_MBUF);
		return;
	}
	rte_pktmbuf_append(answer, (uint16_t)(FCN_HOST_L2_LEN + len));
	fcn_host_count(h, FCN_HOST_ERROR_TX);
	fcn_host_send_own(h, answer, in_port, &c.src, now);
}
