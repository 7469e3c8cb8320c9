/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The part of a switch's configuration that the lab makes unless the switch is bare: its ports, a
 * loopback address, and routes to every host, and to the loopbacks and the locators of other
 * switches, over all shortest paths, where every link has the same length. The locator is the
 * prefix from which the scenario takes the SIDs of a switch. No route to a host leads through a
 * core switch.
 */

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

#define FAR UINT32_MAX
#define MAX_HEADERS 512 /* bytes in addition to the payload: IPv6, options, BTH */

/* Get the index of a node among all nodes, of which the switches come first. */
static unsigned int
number(const struct lab_scenario *sc, const struct lab_node *node)
{
	return node->kind == LAB_SWITCH ? node->index : sc->n_switches + node->index;
}

/* Whether a node forwards packets to a node. Hosts forward none, core switches none to hosts. */
static bool
forwards(const struct lab_scenario *sc, unsigned int node, unsigned int to)
{
	return node < sc->n_switches && (to < sc->n_switches || !sc->node_switch[node].core);
}

/* Compute the number of hops from every node to one node. */
static void
distances(const struct lab_scenario *sc, unsigned int to, uint32_t *hops)
{
	const unsigned int n = sc->n_switches + sc->n_hosts;
	bool changed = true;

	for (unsigned int i = 0; i < n; i++)
		hops[i] = i == to ? 0 : FAR;
	while (changed) {
		changed = false;
		for (unsigned int l = 0; l < sc->n_links; l++) {
			for (unsigned int e = 0; e < 2; e++) {
				unsigned int a = number(sc, &sc->link[l].end[e]);
				unsigned int b = number(sc, &sc->link[l].end[!e]);

				if (hops[b] == FAR || hops[a] <= hops[b] + 1 ||
						(b != to && !forwards(sc, b, to)))
					continue;
				hops[a] = hops[b] + 1;
				changed = true;
			}
		}
	}
}

static const char *
text_of(const uint8_t addr[16], char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(AF_INET6, addr, text, INET6_ADDRSTRLEN);
}

static void
write_port(const struct lab_network *net, unsigned int l, unsigned int e, FILE *out)
{
	const struct lab_scenario *sc = net->sc;
	const struct lab_link *link = &sc->link[l];
	const struct lab_node *peer = &link->end[!e];
	const char *port = link->port[e];
	char text[INET6_ADDRSTRLEN], mac[RTE_ETHER_ADDR_FMT_SIZE];
	uint32_t payload = 1024;

	for (unsigned int h = 0; h < sc->n_hosts; h++)
		payload = RTE_MAX(payload, (uint32_t)sc->host[h].conf.payload);
	fprintf(out, "port add %s\nset port %s mac 02:f1:%02x:%02x:00:%02x\n", port, port, l >> 8,
			l & 0xFF, e);
	if (payload > 1024)
		fprintf(out, "set port %s mtu %u\n", port, payload + MAX_HEADERS);
	if (peer->kind == LAB_HOST) {
		const struct lab_net_host *h = &net->host[peer->index];

		rte_ether_format_addr(mac, sizeof(mac), &h->mac);
		fprintf(out, "neighbour add %s %s %s\n", port, text_of(h->addr, text), mac);
	} else {
		fprintf(out, "neighbour add %s 2001:db8:e:%x::%x 02:f1:%02x:%02x:00:%02x\n", port,
				l + 1, !e + 1, l >> 8, l & 0xFF, !e);
	}
}

/*
 * Write the routes of a switch to a prefix of a node, over all links to nodes that are nearer to
 * that node. By links to a host, the gateway is its address.
 */
static void
write_routes(const struct lab_scenario *sc, unsigned int index, unsigned int to,
		const uint32_t *hops, const char *prefix, FILE *out)
{
	char addr[INET6_ADDRSTRLEN];

	if (hops[index] == FAR || !forwards(sc, index, to))
		return;
	for (unsigned int l = 0; l < sc->n_links; l++) {
		for (unsigned int e = 0; e < 2; e++) {
			const struct lab_node *here = &sc->link[l].end[e];
			unsigned int next = number(sc, &sc->link[l].end[!e]);

			if (here->kind != LAB_SWITCH || here->index != index || hops[next] == FAR ||
					hops[next] + 1 != hops[index] ||
					(next != to && !forwards(sc, next, to)))
				continue;
			if (next >= sc->n_switches)
				snprintf(addr, sizeof(addr), "%.*s", (int)strcspn(prefix, "/"),
						prefix);
			else
				snprintf(addr, sizeof(addr), "2001:db8:e:%x::%x", l + 1, !e + 1);
			fprintf(out, "route add %s via %s port %s\n", prefix, addr,
					sc->link[l].port[e]);
		}
	}
}

char *
lab_autoconf(const struct lab_network *net, unsigned int index)
{
	const struct lab_scenario *sc = net->sc;
	const unsigned int n = sc->n_switches + sc->n_hosts;
	uint32_t *hops = calloc(n, sizeof(hops[0]));
	char addr[INET6_ADDRSTRLEN], prefix[INET6_ADDRSTRLEN + 8], *text = NULL;
	size_t size = 0;
	FILE *out = hops != NULL ? open_memstream(&text, &size) : NULL;

	if (out == NULL) {
		free(hops);
		return NULL;
	}
	fprintf(out, "set loopback 2001:db8:f::%x\n", index + 1);
	for (unsigned int l = 0; l < sc->n_links; l++) {
		for (unsigned int e = 0; e < 2; e++) {
			const struct lab_node *here = &sc->link[l].end[e];

			if (here->kind == LAB_SWITCH && here->index == index)
				write_port(net, l, e, out);
		}
	}
	for (unsigned int to = 0; to < n; to++) {
		if (to == index)
			continue;
		distances(sc, to, hops);
		if (to < sc->n_switches) {
			snprintf(prefix, sizeof(prefix), "2001:db8:f::%x/128", to + 1);
			write_routes(sc, index, to, hops, prefix, out);
			snprintf(prefix, sizeof(prefix), "2001:db8:5:%x::/64", to + 1);
		} else {
			snprintf(prefix, sizeof(prefix), "%s/128",
					text_of(net->host[to - sc->n_switches].addr, addr));
		}
		write_routes(sc, index, to, hops, prefix, out);
	}
	free(hops);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
