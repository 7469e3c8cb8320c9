/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The border of the domain, and which classes hosts may ask for. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_malloc.h>

#include "build_parts.h"
#include "fcn_route_set.h"

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

/* Prefixes of segment identifiers. */
struct sids {
	struct fcn_prefix *prefix;
	size_t n;
};

/* Add a local SID. What begins with the locator block of a compressed SID comes to the SID sooner
 * or later (RFC 9800 section 4.1.1). */
static void
add_sid(struct sids *to, const struct fcn_prefix *prefix, const struct fcn_config_srv6_sid *sid)
{
	struct fcn_prefix *p = &to->prefix[to->n++];

	*p = *prefix;
	if (sid->has_csid)
		p->len = RTE_MIN(p->len, sid->csid.block_bits);
	fcn_prefix_normalise(p);
}

/* Add a local SID of the kernel, if the switch can do what it does. */
static void
add_kernel_sid(struct sids *to, const struct fcn_config *cfg, const struct fcn_build_env *env,
		const struct fcn_kernel_sid *from, const struct fcn_prefix *prefix)
{
	struct fcn_config_srv6_sid sid;
	const char *why;

	if (from != NULL && fcn_build_kernel_sid(cfg, env->kernel_table, from, &sid, &why))
		add_sid(to, prefix, &sid);
}

/* The paths that have the prefixes of the kernel's SIDs: only those of nexthop objects have none
 * themselves. */
static size_t
paths_with_sids(const struct fcn_build_env *env)
{
	for (size_t i = 0; i < env->n_kernel_sids; i++) {
		if (env->kernel_sids[i].prefix.addr.version == 0)
			return env->n_kernel_paths;
	}
	return 0;
}

/* Add the local SIDs of the switch, and those of the kernel. */
static void
add_local_sids(struct sids *to, const struct fcn_config *cfg, const struct fcn_build_env *env,
		size_t n_paths)
{
	for (size_t i = 0; i < cfg->srv6.sids.n; i++)
		add_sid(to, &cfg->srv6.sids.item[i].prefix, &cfg->srv6.sids.item[i]);
	for (size_t i = 0; i < env->n_kernel_sids; i++) {
		const struct fcn_kernel_sid *sid = &env->kernel_sids[i];

		if (sid->prefix.addr.version != 0)
			add_kernel_sid(to, cfg, env, sid, &sid->prefix);
	}
	for (size_t i = 0; i < n_paths; i++) {
		const struct fcn_kernel_path *path = &env->kernel_paths[i];

		if (path->type == FCN_KERNEL_SID)
			add_kernel_sid(to, cfg, env,
					fcn_kernel_sid_find(env->kernel_sids, env->n_kernel_sids,
							fcn_kernel_path_serial(path)),
					&path->prefix);
	}
}

/*
 * Build the segment identifiers of the domain: those that are listed, and unless it is configured
 * otherwise those of the switch itself (RFC 8754 section 5.1).
 */
static int
build_sids(const struct fcn_config *cfg, const struct fcn_build_env *env, struct fcn_snapshot *s,
		char *err, size_t size)
{
	const struct fcn_config_border *b = &cfg->border;
	const bool own = b->local_sids == FCN_BORDER_DROP;
	const size_t n_paths = own ? paths_with_sids(env) : 0;
	const size_t room = b->sids.n + (own ? cfg->srv6.sids.n + env->n_kernel_sids + n_paths : 0);
	struct sids sids = {.prefix = calloc(room + 1, sizeof(*sids.prefix))};
	int rc;

	if (sids.prefix == NULL)
		return fcn_build_fail(err, size, "out of memory");
	for (; sids.n < b->sids.n; sids.n++)
		sids.prefix[sids.n] = b->sids.item[sids.n];
	if (own)
		add_local_sids(&sids, cfg, env, n_paths);
	rc = build_list(sids.prefix, sids.n, "sid", env, &s->border.sids, err, size);
	free(sids.prefix);
	return rc;
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
	if (to->cnp == FCN_BORDER_PASS && from->peers.n != 0)
		fcn_warn(warnings, FCN_WARNING_BORDER, FCN_MAX_PORTS, "border peer",
				"CNPs cross the border also from and to hosts that are no peers: "
				"set border cnp drop");
}

/* The classes that packets of a port may have by what it trusts. */
static uint8_t
classes_of(const struct fcn_config *cfg, enum fcn_port_trust trust)
{
	uint8_t set = 1 << 0;

	for (size_t i = 0; trust == FCN_TRUST_DSCP && i < RTE_DIM(cfg->class_map.dscp); i++)
		set |= 1u << cfg->class_map.dscp[i];
	for (size_t i = 0; trust == FCN_TRUST_PCP && i < RTE_DIM(cfg->class_map.pcp); i++)
		set |= 1u << cfg->class_map.pcp[i];
	return set;
}

/* The protected classes that are served before all others, at some port, without a peak rate. */
static uint8_t
unlimited_classes(const struct fcn_config *cfg)
{
	uint8_t set = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; fcn_config_has_link(cfg, p) && c < FCN_CLASSES; c++) {
			if (fcn_config_is_strict(cfg, p, c) && cfg->port[p].queue[c].peak.bps == 0)
				set |= 1u << c;
		}
	}
	return set & fcn_config_protected(cfg);
}

/* Tell whether the configuration says that a switch is at a port. */
static bool
leads_to_switch(const struct fcn_config *cfg, unsigned int port)
{
	for (size_t i = 0; i < cfg->arn.neighbours.n; i++) {
		if (cfg->arn.neighbours.item[i].port == port)
			return true;
	}
	for (size_t i = 0; i < cfg->arn.sources.n; i++) {
		if (cfg->arn.sources.item[i].port == port)
			return true;
	}
	return false;
}

#define NAMED_PORTS 4 /* a reason names so many */

/* Say at which ports hosts may take links for themselves by a class that is served first. A switch
 * that sends no notices has no class that is meant for itself alone, and says nothing; and without
 * a device there are no hosts, but files or a simulation. */
static void
warn_trust(const struct fcn_config *cfg, struct fcn_warnings *warnings)
{
	const uint8_t unlimited = unlimited_classes(cfg);
	char ports[NAMED_PORTS * (FCN_NAME_LEN + 2)] = "", more[32] = "";
	unsigned int n = 0;
	size_t len = 0;

	for (unsigned int p = 0; fcn_config_sends_notices(cfg) && p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (port->device[0] == '\0' || port->class_trust != FCN_CLASS_TRUST_AUTO ||
				port->border || leads_to_switch(cfg, p) ||
				!(classes_of(cfg, port->trust) & unlimited))
			continue;
		if (n++ < NAMED_PORTS)
			len += (size_t)snprintf(ports + len, sizeof(ports) - len, "%s%s",
					len == 0 ? "" : ", ", port->name);
	}
	if (n == 0)
		return;
	if (n > NAMED_PORTS)
		snprintf(more, sizeof(more), " and %u more", n - NAMED_PORTS);
	fcn_warn(warnings, FCN_WARNING_CLASS_TRUST, FCN_MAX_PORTS, "class-trust",
			"%s%s may send in classes that are served before all others: set port "
			"PORT class-trust off where hosts are, on where switches are",
			ports, more);
}

int
fcn_build_border(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_border *b = &cfg->border;

	fcn_snapshot_protect(s, fcn_config_protected(cfg));
	s->border.codes = (struct fcn_border_codes){
			.options = cfg->codes,
			.cnm_port = cnm_port_of(cfg),
			.arn_port = arn_port_of(cfg),
	};
	s->border.cnp = b->cnp;
	if (check_ports(cfg, err, size) != 0 ||
			build_list(b->peers.item, b->peers.n, "peer", env, &s->border.peers, err,
					size) != 0 ||
			build_list(b->unchecked.item, b->unchecked.n, "unchecked", env,
					&s->border.unchecked, err, size) != 0)
		return -1;
	build_own(cfg, env, &s->own);
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_has_link(cfg, p) && build_port(cfg, p, s, err, size) != 0)
			return -1;
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++)
		build_source_check(cfg, p, s);
	warn_trust(cfg, env->warnings);
	if (!fcn_port_set_is_empty(&s->border.ports)) {
		warn(b, &s->border, env->warnings);
		if (build_sids(cfg, env, s, err, size) != 0)
			return -1;
	}
	/* A sub-interface's packets come and go by the link of its parent port. */
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_sub_interface(cfg, p) && cfg->port[cfg->port[p].parent].border)
			fcn_port_set_add(&s->border.ports, p);
	}
	return 0;
}
