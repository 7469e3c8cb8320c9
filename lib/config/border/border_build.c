/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The border of the domain, and which classes hosts may ask for. */

#include <stdio.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_malloc.h>

#include "build_parts.h"

static int
build_list(const struct fcn_prefix *prefix, size_t n, const char *what,
		const struct fcn_build_env *env, struct fcn_prefix_list **out, char *err,
		size_t size)
{
	struct fcn_prefix_value *v;
	char name[32];

	if (n == 0)
		return 0;
	v = rte_calloc("fcn_border", n, sizeof(*v), 0);
	if (v == NULL)
		return fcn_build_fail(err, size, "out of memory");
	for (size_t i = 0; i < n; i++)
		v[i] = (struct fcn_prefix_value){.prefix = prefix[i], .value = FCN_BORDER_LISTED};
	snprintf(name, sizeof(name), "%s_%s%u", env->name, what,
			(unsigned int)(env->generation % 2));
	*out = fcn_prefix_list_create(name, v, n, env->socket);
	rte_free(v);
	return *out == NULL ? fcn_build_fail(err, size, "border: out of memory") : 0;
}

/* Get the UDP ports whose packets do not cross the border: unless they are set, those of the
 * messages that the switch itself sends and accepts. */
static uint16_t
cnm_port_of(const struct fcn_config *cfg)
{
	return cfg->border.cnm_port != 0 ? cfg->border.cnm_port : cfg->proxy.cnm_port;
}

static uint16_t
arn_port_of(const struct fcn_config *cfg)
{
	return cfg->border.arn_port != 0 ? cfg->border.arn_port : cfg->arn.port;
}

static int
check_ports(const struct fcn_config *cfg, char *err, size_t size)
{
	const struct fcn_config_border *b = &cfg->border;
	const uint16_t cnm_port = cnm_port_of(cfg), arn_port = arn_port_of(cfg);

	/* If neither is set for the border, the message is that of cnm port and arn port. */
	if (cnm_port != 0 && cnm_port == arn_port && (b->cnm_port != 0 || b->arn_port != 0))
		return fcn_build_fail(err, size,
				"border: cnm-port and arn-port cannot both be UDP port %u",
				arn_port);
	if (b->cnm_port == FCN_ROCE_UDP_PORT || b->arn_port == FCN_ROCE_UDP_PORT)
		return fcn_build_fail(err, size, "border: UDP port %u is that of RoCEv2",
				FCN_ROCE_UDP_PORT);
	return 0;
}

static int
build_port(const struct fcn_config *cfg, unsigned int number, struct fcn_snapshot *s, char *err,
		size_t size)
{
	const struct fcn_config_port *port = &cfg->port[number];
	struct fcn_snapshot_port *out = &s->port[number];

	if (port->border && port->ioam.transit)
		return fcn_build_fail(err, size,
				"port %s: packets received at the domain's border have no IOAM "
				"trace of the domain: set ioam transit off, or border off",
				port->name);
	out->untrusted = (struct fcn_trust_conf){
			.untrusted = !fcn_config_is_trusted(port),
			.class = port->untrusted_class,
			.remark = port->remark,
			.dscp = port->remark_dscp,
	};
	if (out->untrusted.untrusted && s->protected_classes >> port->untrusted_class & 1)
		return fcn_build_fail(err, size,
				"port %s: untrusted-class cannot be class %u, which is "
				"protected",
				port->name, port->untrusted_class);
	out->checked_ingress = port->border || out->untrusted.untrusted;
	if (port->border)
		fcn_port_set_add(&s->border.ports, number);
	return 0;
}

/* Add an address to what those before it have in common. */
static void
join(bool *any, uint8_t *value, uint8_t *mask, const uint8_t *addr, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		mask[i] = *any ? mask[i] & (uint8_t) ~(value[i] ^ addr[i]) : 0xff;
		value[i] = addr[i] & mask[i];
	}
	*any = true;
}

static void
join_own(struct fcn_own_hull *own, const struct fcn_addr *addr)
{
	if (addr->version == 6)
		join(&own->any6, own->value6, own->mask6, addr->bytes, sizeof(own->value6));
	else if (addr->version == 4)
		join(&own->any4, own->value4, own->mask4, addr->bytes, sizeof(own->value4));
}

/* Offsets of source addresses in untagged frames, and bits of IPv6 ones that are left out there. */
#define SRC6 (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, src_addr))
#define SRC4 (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv4_hdr, src_addr))
#define GLOBAL_BITS 3

static void
put_source(uint8_t *value, uint8_t *mask, bool any, const uint8_t *from_value,
		const uint8_t *from_mask, size_t len)
{
	memset(value, 0xff, len);
	memset(mask, 0xff, len);
	if (!any)
		return;
	memcpy(value, from_value, len);
	memcpy(mask, from_mask, len);
}

/* Find what the addresses of the switch have in common, of which no packet may come. */
static void
build_own(const struct fcn_config *cfg, const struct fcn_build_env *env, struct fcn_own_hull *own)
{
	join_own(own, &cfg->loopback);
	join_own(own, &cfg->loopback4);
	for (size_t i = 0; i < cfg->addresses.n; i++)
		join_own(own, &cfg->addresses.item[i].prefix.addr);
	for (size_t i = 0; i < env->n_kernel_own; i++)
		join_own(own, &env->kernel_own[i].addr);
	put_source(own->frame_value6 + SRC6, own->frame_mask6 + SRC6, own->any6, own->value6,
			own->mask6, sizeof(own->value6));
	own->frame_value6[SRC6] &= 0xff >> GLOBAL_BITS;
	own->frame_mask6[SRC6] &= 0xff >> GLOBAL_BITS;
	put_source(own->frame_value4 + SRC4, own->frame_mask4 + SRC4, own->any4, own->value4,
			own->mask4, sizeof(own->value4));
}

/* Build how sources are checked that a routed port or sub-interface receives. */
static void
build_source_check(const struct fcn_config *cfg, unsigned int number, struct fcn_snapshot *s)
{
	const struct fcn_config_port *port = &cfg->port[number];

	if (port->name[0] == '\0' || port->bridge >= 0 || port->of_bridge >= 0)
		return;
	s->port[number].source_check = port->source_check;
	s->port[number].checked_ingress |= port->source_check != FCN_SOURCE_CHECK_OFF;
}

/* Say what crosses the border because the configuration does not say that it may not. */
static void
warn(const struct fcn_config_border *from, const struct fcn_border_conf *to,
		struct fcn_warnings *warnings)
{
	static const char format[] = "%s cross the border, as their UDP port is not known: set "
				     "border %s NUMBER";

	if (to->codes.cnm_port == 0)
		fcn_warn(warnings, FCN_WARNING_BORDER, FCN_MAX_PORTS, "border cnm-port", format,
				"congestion notification messages", "cnm-port");
	if (to->codes.arn_port == 0)
		fcn_warn(warnings, FCN_WARNING_BORDER, FCN_MAX_PORTS, "border arn-port", format,
				"adaptive routing notifications", "arn-port");
	if (to->cnp == FCN_BORDER_CNP_PASS && from->peers.n != 0)
		fcn_warn(warnings, FCN_WARNING_BORDER, FCN_MAX_PORTS, "border peer",
				"CNPs cross the border also from and to hosts that are no peers: "
				"set border cnp drop");
}

int
fcn_build_border(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_border *b = &cfg->border;

	s->protected_classes = fcn_config_protected(cfg);
	s->border.codes = (struct fcn_border_codes){
			.options = cfg->codes,
			.cnm_port = cnm_port_of(cfg),
			.arn_port = arn_port_of(cfg),
	};
	s->border.cnp = b->cnp;
	if (check_ports(cfg, err, size) != 0 ||
			build_list(b->peers.item, b->peers.n, "peer", env, &s->border.peers, err,
					size) != 0 ||
			build_list(b->sids.item, b->sids.n, "sid", env, &s->border.sids, err,
					size) != 0 ||
			build_list(b->unchecked.item, b->unchecked.n, "unchecked", env,
					&s->border.unchecked, err, size) != 0)
		return -1;
	build_own(cfg, env, &s->own);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_has_link(cfg, p) && build_port(cfg, p, s, err, size) != 0)
			return -1;
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		build_source_check(cfg, p, s);
	if (!fcn_port_set_is_empty(&s->border.ports))
		warn(b, &s->border, env->warnings);
	/* A sub-interface's packets come and go by the link of its parent port. */
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_sub_interface(cfg, p) && cfg->port[cfg->port[p].parent].border)
			fcn_port_set_add(&s->border.ports, p);
	}
	return 0;
}
