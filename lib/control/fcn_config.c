/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_config.h"

#define DEFAULT_AGEING_NS 300000000000ull

struct fcn_config *
fcn_config_create(void)
{
	struct fcn_config *cfg = calloc(1, sizeof(*cfg));

	if (cfg == NULL)
		return NULL;
	fcn_config_default(cfg);
	return cfg;
}

/*
 * What stands before the elements of a list. Configurations that were copied
 * share their lists until one of them changes its own: most commands change
 * none, and a list of routes may be long.
 */
struct list_head {
	_Alignas(max_align_t) unsigned int refs;
};

/* NULL for a list that never had an element. */
static struct list_head *
head_of(void *item)
{
	return item == NULL ? NULL : (struct list_head *)item - 1;
}

static void
release_list(void *item)
{
	struct list_head *head = head_of(item);

	if (head != NULL && --head->refs == 0)
		free(head);
}

static void
share_list(void *item)
{
	struct list_head *head = head_of(item);

	if (head != NULL)
		head->refs++;
}

void
fcn_config_free(struct fcn_config *cfg)
{
	if (cfg == NULL)
		return;
	release_list(cfg->addresses.item);
	release_list(cfg->neighbours.item);
	release_list(cfg->routes.item);
	release_list(cfg->senders.item);
	release_list(cfg->border.peers.item);
	release_list(cfg->border.sids.item);
	free(cfg);
}

struct fcn_config *
fcn_config_copy(const struct fcn_config *cfg)
{
	struct fcn_config *copy = malloc(sizeof(*copy));

	if (copy == NULL)
		return NULL;
	*copy = *cfg;
	share_list(copy->addresses.item);
	share_list(copy->neighbours.item);
	share_list(copy->routes.item);
	share_list(copy->senders.item);
	share_list(copy->border.peers.item);
	share_list(copy->border.sids.item);
	return copy;
}

/* The list alone has its memory, and room for so many elements. @return 0 or -ENOMEM */
static int
own_list(void *item, size_t n, size_t *room, size_t size, size_t wanted)
{
	struct list_head *old = head_of(*(void **)item), *head;
	bool mine = old != NULL && old->refs == 1;

	if (old == NULL && wanted == 0)
		return 0;
	if (mine && wanted <= *room)
		return 0;
	if (wanted > *room)
		wanted += wanted / 2 + 8;
	head = mine ? realloc(old, sizeof(*head) + wanted * size)
		    : malloc(sizeof(*head) + wanted * size);
	if (head == NULL)
		return -ENOMEM;
	if (!mine) {
		head->refs = 1;
		if (n > 0)
			memcpy(head + 1, *(void **)item, n * size);
		release_list(*(void **)item);
	}
	*(void **)item = head + 1;
	*room = wanted;
	return 0;
}

#define OWN(list, wanted) \
	own_list(&(list)->item, (list)->n, &(list)->room, sizeof(*(list)->item), wanted)

/* Append to a list. @return 0 or -ENOMEM. */
#define APPEND(list, value)                                  \
	({                                                   \
		int rc_ = OWN(list, (list)->n + 1);          \
		if (rc_ == 0)                                \
			(list)->item[(list)->n++] = (value); \
		rc_;                                         \
	})

/* Remove element i of a list, keeping the order. */
#define REMOVE(list, i)                                   \
	memmove(&(list)->item[i], &(list)->item[(i) + 1], \
			(--(list)->n - (i)) * sizeof(*(list)->item))

static bool
is_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < FCN_NAME_LEN;
}

int
fcn_config_port_find(const struct fcn_config *cfg, const char *name)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (cfg->port[p].name[0] != '\0' && strcmp(cfg->port[p].name, name) == 0)
			return p;
	}
	return -ENOENT;
}

void
fcn_config_note_ports(struct fcn_config *cfg, const struct fcn_config *in_force)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		memcpy(cfg->former[p], in_force->port[p].name, FCN_NAME_LEN);
}

/* Its number in force; else one that no port in force has; else any that is free. */
static int
choose_number(const struct fcn_config *cfg, const char *name)
{
	int fresh = -ENOSPC, any = -ENOSPC;

	for (int p = FCN_MAX_PORTS - 1; p >= 0; p--) {
		if (cfg->port[p].name[0] != '\0')
			continue;
		if (strcmp(cfg->former[p], name) == 0)
			return p;
		any = p;
		if (cfg->former[p][0] == '\0')
			fresh = p;
	}
	return fresh >= 0 ? fresh : any;
}

int
fcn_config_port_add(struct fcn_config *cfg, const char *name)
{
	struct fcn_config_port *port;
	int p;

	if (!is_name(name))
		return -EINVAL;
	if (fcn_config_port_find(cfg, name) >= 0)
		return -EEXIST;
	p = choose_number(cfg, name);
	if (p < 0)
		return p;
	port = &cfg->port[p];
	fcn_config_port_default(port);
	memcpy(port->name, name, strlen(name) + 1);
	return p;
}

const struct fcn_punt_rate *
fcn_config_police(const struct fcn_config *cfg, unsigned int port, enum fcn_punt_kind kind)
{
	const struct fcn_config_police *own = &cfg->port[port].police[kind];

	return own->set ? &own->rate : &cfg->host.police[kind];
}

bool
fcn_config_is_line(const struct fcn_config *cfg, unsigned int port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].vlan == 0;
}

bool
fcn_config_is_sub_interface(const struct fcn_config *cfg, unsigned int port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].vlan != 0 &&
	       cfg->port[port].of_bridge < 0;
}

bool
fcn_config_is_bridge_interface(const struct fcn_config *cfg, unsigned int port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].of_bridge >= 0;
}

int
fcn_config_sub_interface_find(const struct fcn_config *cfg, uint16_t parent, uint16_t vlan)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_sub_interface(cfg, p) && cfg->port[p].parent == parent &&
				cfg->port[p].vlan == vlan)
			return p;
	}
	return -ENOENT;
}

int
fcn_config_sub_interface_add(
		struct fcn_config *cfg, const char *name, uint16_t parent, uint16_t vlan)
{
	int p;

	if (fcn_config_sub_interface_find(cfg, parent, vlan) >= 0)
		return -EADDRINUSE;
	p = fcn_config_port_add(cfg, name);
	if (p < 0)
		return p;
	cfg->port[p].vlan = vlan;
	cfg->port[p].parent = parent;
	cfg->port[p].mtu = cfg->port[parent].mtu;
	return p;
}

int
fcn_config_port_remove(struct fcn_config *cfg, uint16_t port)
{
	if (OWN(&cfg->addresses, cfg->addresses.n) != 0 ||
			OWN(&cfg->neighbours, cfg->neighbours.n) != 0 ||
			OWN(&cfg->routes, cfg->routes.n) != 0)
		return -ENOMEM;
	/* the lists are this one's now: nothing fails any more */
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_sub_interface(cfg, p) && cfg->port[p].parent == port)
			fcn_config_port_remove(cfg, p);
	}
	memset(&cfg->port[port], 0, sizeof(cfg->port[port]));
	for (size_t i = cfg->addresses.n; i-- > 0;) {
		if (cfg->addresses.item[i].port == port)
			REMOVE(&cfg->addresses, i);
	}
	for (size_t i = cfg->neighbours.n; i-- > 0;) {
		if (cfg->neighbours.item[i].port == port)
			REMOVE(&cfg->neighbours, i);
	}
	for (size_t i = cfg->routes.n; i-- > 0;) {
		if (!cfg->routes.item[i].blackhole && cfg->routes.item[i].port == port)
			REMOVE(&cfg->routes, i);
	}
	return 0;
}

int
fcn_config_bridge_find(const struct fcn_config *cfg, const char *name)
{
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		if (cfg->bridge[b].name[0] != '\0' && strcmp(cfg->bridge[b].name, name) == 0)
			return b;
	}
	return -ENOENT;
}

int
fcn_config_bridge_add(struct fcn_config *cfg, const char *name)
{
	if (!is_name(name))
		return -EINVAL;
	if (fcn_config_bridge_find(cfg, name) >= 0)
		return -EEXIST;
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		if (cfg->bridge[b].name[0] != '\0')
			continue;
		memcpy(cfg->bridge[b].name, name, strlen(name) + 1);
		cfg->bridge[b].ageing_ns = DEFAULT_AGEING_NS;
		cfg->bridge[b].move_limit = FCN_DEFAULT_MOVE_LIMIT;
		cfg->bridge[b].loop_action = FCN_LOOP_LOG;
		cfg->bridge[b].recover_ns = FCN_DEFAULT_RECOVER_NS;
		return b;
	}
	return -ENOSPC;
}

int
fcn_config_bridge_interface_find(const struct fcn_config *cfg, unsigned int bridge, uint16_t vlan)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_bridge_interface(cfg, p) &&
				cfg->port[p].of_bridge == (int)bridge && cfg->port[p].vlan == vlan)
			return p;
	}
	return -ENOENT;
}

int
fcn_config_bridge_interface_add(
		struct fcn_config *cfg, const char *name, unsigned int bridge, uint16_t vlan)
{
	int p;

	if (fcn_config_bridge_interface_find(cfg, bridge, vlan) >= 0)
		return -EADDRINUSE;
	p = fcn_config_port_add(cfg, name);
	if (p < 0)
		return p;
	cfg->port[p].vlan = vlan;
	cfg->port[p].of_bridge = bridge;
	return p;
}

int
fcn_config_bridge_remove(struct fcn_config *cfg, unsigned int bridge)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_bridge_interface(cfg, p) &&
				cfg->port[p].of_bridge == (int)bridge &&
				fcn_config_port_remove(cfg, p) != 0)
			return -ENOMEM;
	}
	memset(&cfg->bridge[bridge], 0, sizeof(cfg->bridge[bridge]));
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (cfg->port[p].bridge == (int)bridge)
			fcn_config_bridge_leave(cfg, p);
	}
	return 0;
}

void
fcn_config_bridge_leave(struct fcn_config *cfg, unsigned int port)
{
	cfg->port[port].bridge = -1;
	cfg->port[port].pvid = FCN_DEFAULT_PVID;
	cfg->port[port].mac_limit = FCN_AUTO;
	memset(cfg->port[port].tagged, 0, sizeof(cfg->port[port].tagged));
	memset(cfg->port[port].storm, 0, sizeof(cfg->port[port].storm));
}

int
fcn_config_address_add(struct fcn_config *cfg, uint16_t port, const struct fcn_prefix *prefix)
{
	struct fcn_config_address a = {.port = port, .prefix = *prefix};

	if (fcn_addr_why_no_host(&prefix->addr) != NULL)
		return -EINVAL;
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (fcn_addr_equal(&cfg->addresses.item[i].prefix.addr, &prefix->addr))
			return -EEXIST;
	}
	return APPEND(&cfg->addresses, a);
}

int
fcn_config_address_remove(struct fcn_config *cfg, uint16_t port, const struct fcn_prefix *prefix)
{
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (cfg->addresses.item[i].port == port &&
				fcn_addr_equal(&cfg->addresses.item[i].prefix.addr,
						&prefix->addr)) {
			if (OWN(&cfg->addresses, cfg->addresses.n) != 0)
				return -ENOMEM;
			REMOVE(&cfg->addresses, i);
			return 0;
		}
	}
	return -ENOENT;
}

int
fcn_config_neighbour_set(struct fcn_config *cfg, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac)
{
	struct fcn_config_neighbour n = {.port = port, .addr = *addr, .mac = *mac};

	if (fcn_addr_why_no_host(addr) != NULL || !rte_is_valid_assigned_ether_addr(mac))
		return -EINVAL;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *old = &cfg->neighbours.item[i];

		if (old->port != port || !fcn_addr_equal(&old->addr, addr))
			continue;
		if (OWN(&cfg->neighbours, cfg->neighbours.n) != 0)
			return -ENOMEM;
		cfg->neighbours.item[i].mac = *mac;
		return 0;
	}
	return APPEND(&cfg->neighbours, n);
}

int
fcn_config_neighbour_remove(struct fcn_config *cfg, uint16_t port, const struct fcn_addr *addr)
{
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		if (cfg->neighbours.item[i].port == port &&
				fcn_addr_equal(&cfg->neighbours.item[i].addr, addr)) {
			if (OWN(&cfg->neighbours, cfg->neighbours.n) != 0)
				return -ENOMEM;
			REMOVE(&cfg->neighbours, i);
			return 0;
		}
	}
	return -ENOENT;
}

static bool
is_same_path(const struct fcn_config_route *r, const struct fcn_addr *via, int port)
{
	return !r->blackhole && fcn_addr_equal(&r->via, via) && (port < 0 || r->port == port);
}

int
fcn_config_route_add(struct fcn_config *cfg, const struct fcn_config_route *route)
{
	struct fcn_config_route r = *route;

	if (!r.blackhole && (r.via.version != r.prefix.addr.version ||
					    fcn_addr_why_no_host(&r.via) != NULL))
		return -EINVAL;
	fcn_prefix_normalise(&r.prefix);
	return APPEND(&cfg->routes, r);
}

int
fcn_config_route_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *via, int port)
{
	struct fcn_prefix p = *prefix;
	size_t removed = 0;

	fcn_prefix_normalise(&p);
	for (size_t i = cfg->routes.n; i-- > 0;) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (fcn_prefix_equal(&r->prefix, &p) &&
				(via == NULL || is_same_path(r, via, port))) {
			if (OWN(&cfg->routes, cfg->routes.n) != 0)
				return -ENOMEM;
			REMOVE(&cfg->routes, i);
			removed++;
		}
	}
	return removed > 0 ? 0 : -ENOENT;
}

int
fcn_config_sender_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		enum fcn_sender_capability capability)
{
	struct fcn_config_sender s = {.prefix = *prefix, .capability = capability};

	fcn_prefix_normalise(&s.prefix);
	for (size_t i = 0; i < cfg->senders.n; i++) {
		if (fcn_prefix_equal(&cfg->senders.item[i].prefix, &s.prefix)) {
			if (OWN(&cfg->senders, cfg->senders.n) != 0)
				return -ENOMEM;
			cfg->senders.item[i].capability = capability;
			return 0;
		}
	}
	return APPEND(&cfg->senders, s);
}

int
fcn_config_sender_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	struct fcn_prefix p = *prefix;

	fcn_prefix_normalise(&p);
	for (size_t i = 0; i < cfg->senders.n; i++) {
		if (fcn_prefix_equal(&cfg->senders.item[i].prefix, &p)) {
			if (OWN(&cfg->senders, cfg->senders.n) != 0)
				return -ENOMEM;
			REMOVE(&cfg->senders, i);
			return 0;
		}
	}
	return -ENOENT;
}

bool
fcn_config_is_strict(const struct fcn_config *cfg, unsigned int port, unsigned int class)
{
	int strict = cfg->port[port].queue[class].strict;

	if (strict != FCN_STRICT_AUTO)
		return strict != 0;
	return class >= 6 || (cfg->notify.fast_cnp && cfg->notify.class == class);
}

struct fcn_ioam_namespace *
fcn_config_namespace_find(struct fcn_config *cfg, uint16_t id)
{
	for (uint32_t i = 0; i < cfg->ioam.n_namespaces; i++) {
		if (cfg->ioam.ns[i].id == id)
			return &cfg->ioam.ns[i];
	}
	return NULL;
}

struct fcn_ioam_namespace *
fcn_config_namespace_add(struct fcn_config *cfg, uint16_t id, int *err)
{
	struct fcn_config_ioam *ioam = &cfg->ioam;
	uint32_t at = 0;

	if (fcn_config_namespace_find(cfg, id) != NULL) {
		*err = -EEXIST;
		return NULL;
	}
	if (ioam->n_namespaces == FCN_IOAM_NAMESPACES) {
		*err = -ENOSPC;
		return NULL;
	}
	while (at < ioam->n_namespaces && ioam->ns[at].id < id)
		at++;
	memmove(&ioam->ns[at + 1], &ioam->ns[at], (ioam->n_namespaces - at) * sizeof(ioam->ns[0]));
	ioam->n_namespaces++;
	ioam->ns[at] = (struct fcn_ioam_namespace){.id = id, .schema_id = FCN_IOAM_NO_SCHEMA};
	return &ioam->ns[at];
}

int
fcn_config_namespace_remove(struct fcn_config *cfg, uint16_t id)
{
	struct fcn_ioam_namespace *ns = fcn_config_namespace_find(cfg, id);

	if (ns == NULL)
		return -ENOENT;
	cfg->ioam.n_namespaces--;
	memmove(ns, ns + 1, (char *)&cfg->ioam.ns[cfg->ioam.n_namespaces] - (char *)ns);
	return 0;
}

uint64_t
fcn_config_port_rate(const struct fcn_config_port *port)
{
	return port->rate_bps != 0 && port->rate_bps < port->link_bps ? port->rate_bps
								      : port->link_bps;
}

/* A list of prefixes alone: add and remove. */
#define PREFIX_LIST(what, list)                                                                 \
	int fcn_config_##what##_add(struct fcn_config *cfg, const struct fcn_prefix *prefix)    \
	{                                                                                       \
		struct fcn_prefix p = *prefix;                                                  \
                                                                                                \
		fcn_prefix_normalise(&p);                                                       \
		for (size_t i = 0; i < (list).n; i++) {                                         \
			if (fcn_prefix_equal(&(list).item[i], &p))                              \
				return -EEXIST;                                                 \
		}                                                                               \
		return APPEND(&(list), p);                                                      \
	}                                                                                       \
                                                                                                \
	int fcn_config_##what##_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix) \
	{                                                                                       \
		struct fcn_prefix p = *prefix;                                                  \
                                                                                                \
		fcn_prefix_normalise(&p);                                                       \
		for (size_t i = 0; i < (list).n; i++) {                                         \
			if (!fcn_prefix_equal(&(list).item[i], &p))                             \
				continue;                                                       \
			if (OWN(&(list), (list).n) != 0)                                        \
				return -ENOMEM;                                                 \
			REMOVE(&(list), i);                                                     \
			return 0;                                                               \
		}                                                                               \
		return -ENOENT;                                                                 \
	}

PREFIX_LIST(peer, cfg->border.peers)
PREFIX_LIST(sid, cfg->border.sids)

uint8_t
fcn_config_protected(const struct fcn_config *cfg)
{
	if (cfg->protected_classes != FCN_PROTECTED_AUTO)
		return (uint8_t)cfg->protected_classes;
	/* Class 0 is what is left: nobody is kept out of it unless it is said. */
	return (uint8_t)((1u << cfg->notify.class | 1u << cfg->host.class | 1u << 6 | 1u << 7) &
			 ~1u);
}

bool
fcn_config_is_trusted(const struct fcn_config_port *port)
{
	return port->class_trust == FCN_CLASS_TRUST_ON ||
	       (port->class_trust == FCN_CLASS_TRUST_AUTO && !port->border);
}
