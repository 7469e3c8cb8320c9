/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_build.h"
#include "replay_mirror_private.h"

/* Longest packet that a port takes: frames of any length are replayed. */
#define MTU 9600
/* Rates are measured over a short time, in which one more frame may have been counted. */
#define TOLERANCE_PERCENT 105
#define GBPS UINT64_C(1000000000)
#define LEAST_BPS 1000000 /* as `set port link` has it */
#define MOST_BPS FCN_SHAPER_MAX_BPS
#define DEFAULT_VLAN 1
#define MAX_LEARN_VLANS 16
/* Address that notices come from. */
#define LOOPBACK "fd00:fa57:c::1"

const char *
replay_mirror_mac(const struct rte_ether_addr *mac, char buf[RTE_ETHER_ADDR_FMT_SIZE])
{
	rte_ether_format_addr(buf, RTE_ETHER_ADDR_FMT_SIZE, mac);
	for (char *p = buf; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	return buf;
}

/* ---- a configuration for the capture ---- */

static uint64_t
rate_of(const struct mirror_rate *r)
{
	return r->most * 8 * (1000000000 / MIRROR_RATE_NS);
}

/* Find the speed of links with which the capture can have come about. */
static void
choose_link(struct replay_mirror *m)
{
	static const uint64_t speeds[] = {1 * GBPS, 5 * GBPS / 2, 5 * GBPS, 10 * GBPS, 25 * GBPS,
			40 * GBPS, 50 * GBPS, 100 * GBPS, 200 * GBPS, 400 * GBPS, 800 * GBPS};
	uint64_t most = 0;

	if (m->opt->link_bps != 0) {
		m->link_bps = m->opt->link_bps;
		m->link_from = "--link";
		return;
	}
	/* What a router forwards came by several links. */
	for (uint32_t i = 0; i < m->n_stations; i++) {
		if (2 * m->station[i].own > m->station[i].sent)
			most = RTE_MAX(most, rate_of(&m->station[i].out));
	}
	for (uint32_t i = 0; m->by_interface && i < m->n_interfaces; i++)
		most = RTE_MAX(most, rate_of(&m->interface[i].rate));
	m->link_bps = speeds[RTE_DIM(speeds) - 1];
	for (unsigned int i = RTE_DIM(speeds); i-- > 0;) {
		if (most <= speeds[i] / 100 * TOLERANCE_PERCENT)
			m->link_bps = speeds[i];
	}
	m->link_from = "the capture";
}

/* Whether a name can be that of a port, and is no word of the console. */
static bool
is_port_name(const char *name)
{
	static const char *const words[] = {"json", "all", "class", "detail", "last"};

	if (name[0] == '\0' || strlen(name) >= FCN_NAME_LEN || !isalpha((unsigned char)name[0]))
		return false;
	for (unsigned int i = 0; i < RTE_DIM(words); i++) {
		if (strcmp(name, words[i]) == 0)
			return false;
	}
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
				 "-")] == '\0';
}

static void
write_port(const struct replay_mirror *m, const char *name, uint64_t bps, const char *what,
		FILE *out)
{
	fprintf(out, "# %s\nport add %s mtu %u\nset port %s link %" PRIu64 "\n", what, name, MTU,
			name, bps);
	fprintf(out, "bridge br0 port add %s\n", name);
	for (unsigned int v = 1; v < MIRROR_VLANS - 1; v++) {
		if (v != DEFAULT_VLAN && (m->vlan[v / 64] & UINT64_C(1) << v % 64))
			fprintf(out, "set bridge br0 port %s tagged %u\n", name, v);
	}
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (m->roce_classes & 1u << c)
			fprintf(out,
					"set queue %s class %u detector qcn\n"
					"set queue %s class %u notify on\n",
					name, c, name, c);
	}
}

/* Tell whether a speed that a capture names is one of a link. */
static bool
is_speed(uint64_t bps)
{
	return bps >= LEAST_BPS && bps <= MOST_BPS;
}

/* Write ports for interfaces. @return how many */
static unsigned int
write_interfaces(struct replay_mirror *m, FILE *out)
{
	char name[64], what[160];

	for (uint32_t i = 0; i < m->n_interfaces; i++) {
		struct mirror_interface *n = &m->interface[i];

		if (is_port_name(n->name))
			snprintf(name, sizeof(name), "%s", n->name);
		else
			snprintf(name, sizeof(name), "p%u", i + 1);
		snprintf(what, sizeof(what), "interface %u %.63s of the capture", n->number,
				n->name);
		n->port = (int)i;
		write_port(m, name,
				is_speed(n->bps) && m->opt->link_bps == 0 ? n->bps : m->link_bps,
				what, out);
	}
	return m->n_interfaces;
}

static int
by_traffic(const void *a, const void *b)
{
	const struct mirror_station *const *x = a, *const *y = b;
	const uint64_t n = (*x)->own + (*x)->reached, k = (*y)->own + (*y)->reached;

	if (n != k)
		return n > k ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static const char *
address_text(const struct mirror_station *s, char buf[INET6_ADDRSTRLEN])
{
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};

	buf[0] = '\0';
	if (s->has_address && memcmp(s->address, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, s->address + sizeof(mapped), buf, INET6_ADDRSTRLEN);
	else if (s->has_address)
		inet_ntop(AF_INET6, s->address, buf, INET6_ADDRSTRLEN);
	return buf;
}

/* Write ports for stations, which are numbered in the order of their appearance. If there are too
 * many, those with the least traffic share the last port. @return how many ports */
static unsigned int
write_stations(struct replay_mirror *m, FILE *out)
{
	struct mirror_station **list = calloc(m->n_stations + 1, sizeof(*list));
	unsigned int n = 0, ports = 0;
	char name[16], what[128], mac[RTE_ETHER_ADDR_FMT_SIZE], ip[INET6_ADDRSTRLEN];

	if (list == NULL)
		return 0;
	for (uint32_t i = 0; i < m->n_stations; i++) {
		if (m->station[i].own + m->station[i].reached != 0)
			list[n++] = &m->station[i];
	}
	if (n > MIRROR_PORTS) {
		qsort(list, n, sizeof(*list), by_traffic);
		for (unsigned int i = MIRROR_PORTS - 1; i < n; i++)
			list[i]->port = (int)MIRROR_PORTS - 1;
	}
	for (uint32_t i = 0; i < m->n_stations; i++) {
		struct mirror_station *s = &m->station[i];

		if (s->own + s->reached == 0 || s->port >= 0)
			continue;
		s->port = (int)ports++;
		snprintf(name, sizeof(name), "p%u", ports);
		snprintf(what, sizeof(what), "%s %s", replay_mirror_mac(&s->mac, mac),
				address_text(s, ip));
		write_port(m, name, m->link_bps, what, out);
	}
	if (n > MIRROR_PORTS) {
		snprintf(name, sizeof(name), "p%u", ++ports);
		write_port(m, name, m->link_bps, "all others", out);
	}
	free(list);
	return ports;
}

char *
replay_mirror_config(struct replay_mirror *m)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned int ports;

	m->made = true;
	if (out == NULL) {
		fputs("fastcn replay: out of memory\n", stderr);
		return NULL;
	}
	choose_link(m);
	fputs("# Made by fastcn replay --mirror.\nset loopback " LOOPBACK
	      "\nset notify fast-cnp on\n"
	      "sender default capable\nbridge add br0\n",
			out);
	ports = m->by_interface ? write_interfaces(m, out) : write_stations(m, out);
	if (fclose(out) != 0) {
		free(text);
		fputs("fastcn replay: out of memory\n", stderr);
		return NULL;
	}
	if (ports == 0) {
		fprintf(stderr, "fastcn replay: %s: no frame%s%s has a sender to make a port of\n",
				m->opt->file[0], m->opt->interface != NULL ? " of interface " : "",
				m->opt->interface != NULL ? m->opt->interface : "");
		free(text);
		return NULL;
	}
	return text;
}

/* ---- the ports of a configuration ---- */

/* Bind what an option --port names. */
static int
bind_place(struct replay_mirror *m, const struct replay_mirror_place *place)
{
	const struct fcn_config *cfg = fcn_control_config(m->ctl);
	const int port = fcn_config_port_find(cfg, place->port);
	struct rte_ether_addr mac;
	uint32_t found;

	if (port < 0) {
		fprintf(stderr, "fastcn replay: --port %s=%s: there is no port %s\n", place->port,
				place->what, place->port);
		return -1;
	}
	if (rte_ether_unformat_addr(place->what, &mac) == 0) {
		found = replay_mirror_station(m, mac.addr_bytes, false);
		if (found != NOBODY)
			m->station[found].port = port;
		/* An address that the capture does not have does no harm. */
		return 0;
	}
	for (uint32_t i = 0; i < m->n_interfaces; i++) {
		if (strcmp(m->interface[i].name, place->what) == 0) {
			m->interface[i].port = port;
			return 0;
		}
	}
	fprintf(stderr,
			"fastcn replay: --port %s=%s: that is no MAC address, and no interface of "
			"the capture\n",
			place->port, place->what);
	return -1;
}

/* Number of stations or interfaces that a port has. */
static bool
is_bound(const struct replay_mirror *m, int port)
{
	for (uint32_t i = 0; i < m->n_stations; i++) {
		if (m->station[i].port == port)
			return true;
	}
	return false;
}

static int
bind_interfaces(struct replay_mirror *m)
{
	const struct fcn_config *cfg = fcn_control_config(m->ctl);

	for (uint32_t i = 0; i < m->n_interfaces; i++) {
		struct mirror_interface *n = &m->interface[i];

		if (n->port < 0)
			n->port = fcn_config_port_find(cfg, n->name);
		if (n->port >= 0 || n->in + n->unknown == 0)
			continue;
		fprintf(stderr,
				"fastcn replay: no port has the name of interface %u (%s) of the "
				"capture: add --port PORT=%s\n",
				n->number, n->name, n->name);
		return -1;
	}
	return 0;
}

/* Whether a MAC address is that of a port. */
static bool
is_own(const struct fcn_snapshot *snapshot, const struct rte_ether_addr *mac)
{
	for (unsigned int p = 0; p < snapshot->n_ports; p++) {
		if (rte_is_same_ether_addr(&snapshot->port[p].mac, mac))
			return true;
	}
	return false;
}

/* Bind the neighbours that the configuration names. */
static void
bind_neighbours(struct replay_mirror *m)
{
	const struct fcn_config *cfg = fcn_control_config(m->ctl);

	for (unsigned int i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];
		const uint32_t s = replay_mirror_station(m, n->mac.addr_bytes, false);

		if (s != NOBODY && m->station[s].port < 0)
			m->station[s].port = n->port;
	}
}

/* Bind stations to ports in the order of both. */
static int
bind_stations(struct replay_mirror *m)
{
	const struct fcn_config *cfg = fcn_control_config(m->ctl);
	const struct fcn_snapshot *snapshot = fcn_control_snapshot(m->ctl);
	char mac[RTE_ETHER_ADDR_FMT_SIZE];
	unsigned int missing = 0;
	int port = 0;

	for (uint32_t i = 0; i < m->n_stations; i++) {
		struct mirror_station *s = &m->station[i];

		if (s->port >= 0 || s->own + s->reached == 0 || is_own(snapshot, &s->mac))
			continue;
		while (port < FCN_MAX_PORTS &&
				(cfg->port[port].name[0] == '\0' || cfg->port[port].vlan != 0 ||
						is_bound(m, port)))
			port++;
		if (port < FCN_MAX_PORTS)
			s->port = port;
		else if (missing++ < 10)
			fprintf(stderr,
					"fastcn replay: no port is left for %s (%" PRIu64
					" frames from it, %" PRIu64 " to it)\n",
					replay_mirror_mac(&s->mac, mac), s->own, s->reached);
	}
	if (missing == 0)
		return 0;
	fprintf(stderr,
			"fastcn replay: the capture has %u stations more than the configuration "
			"has "
			"ports: add --port PORT=MAC, for several stations behind one port, too\n",
			missing);
	return -1;
}

int
replay_mirror_bind(struct replay_mirror *m, struct fcn_control *ctl, struct fcn_replay *replay)
{
	m->ctl = ctl;
	m->replay = replay;
	if (!m->made) {
		for (unsigned int i = 0; i < m->opt->n_places; i++) {
			if (bind_place(m, &m->opt->place[i]) != 0)
				return -1;
		}
		if (!m->by_interface)
			bind_neighbours(m);
		if ((m->by_interface ? bind_interfaces(m) : bind_stations(m)) != 0)
			return -1;
	}
	return replay_mirror_open(m);
}

static int
port_of(const struct replay_mirror *m, const struct mirror_station *s)
{
	if (!m->by_interface)
		return s->port;
	return s->interface != NOBODY ? m->interface[s->interface].port : -1;
}

void
replay_mirror_learn(const struct replay_mirror *m, struct fcn_control *ctl)
{
	struct fcn_worker *w = fcn_control_worker(ctl, 0);
	const struct fcn_config *cfg = fcn_control_config(ctl);

	for (uint32_t i = 0; i < m->n_stations; i++) {
		const struct mirror_station *s = &m->station[i];
		const int port = port_of(m, s);
		struct fcn_mac_key key = {.mac = s->mac};
		unsigned int vlans = 0;

		if (port < 0 || cfg->port[port].bridge < 0)
			continue;
		key.bridge = (uint16_t)cfg->port[port].bridge;
		key.vlan = cfg->port[port].pvid;
		fcn_mac_table_restore(w->macs, &key, (uint16_t)port, 0, 0);
		for (unsigned int v = 1; v < MIRROR_VLANS && vlans < MAX_LEARN_VLANS; v++) {
			if (!(m->vlan[v / 64] & UINT64_C(1) << v % 64))
				continue;
			vlans++;
			key.vlan = (uint16_t)v;
			fcn_mac_table_restore(w->macs, &key, (uint16_t)port, 0, 0);
		}
	}
}
