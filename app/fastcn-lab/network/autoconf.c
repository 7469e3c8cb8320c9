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
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"
#include "scenario_private.h"

#define FAR UINT16_MAX /* more than there are nodes */

_Static_assert(LAB_MAX_SWITCHES + LAB_MAX_HOSTS < FAR, "hops");
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

/* Links by node: those of node i are first[i] to first[i + 1] - 1, numbered 2 * link + end. */
struct links {
	uint32_t *first, *link;
};

static void
free_links(struct links *links)
{
	free(links->first);
	free(links->link);
}

static int
index_links(const struct lab_scenario *sc, struct links *links)
{
	const unsigned int n = sc->n_switches + sc->n_hosts;

	links->first = calloc((size_t)n + 2, sizeof(*links->first));
	links->link = calloc(2 * (size_t)sc->n_links + 1, sizeof(*links->link));
	if (links->first == NULL || links->link == NULL)
		return -ENOMEM;
	for (unsigned int l = 0; l < 2 * sc->n_links; l++)
		links->first[number(sc, &sc->link[l / 2].end[l % 2]) + 2]++;
	for (unsigned int i = 0; i <= n; i++)
		links->first[i + 1] += links->first[i];
	for (unsigned int l = 0; l < 2 * sc->n_links; l++)
		links->link[links->first[number(sc, &sc->link[l / 2].end[l % 2]) + 1]++] = l;
	return 0;
}

/*
 * Compute the number of hops from every node to one node: breadth first, from that node on.
 *
 * @param queue room for all nodes
 */
static void
distances(const struct lab_scenario *sc, const struct links *links, unsigned int to, uint16_t *hops,
		uint32_t *queue)
{
	const unsigned int n = sc->n_switches + sc->n_hosts;
	unsigned int first = 0, last = 0;

	for (unsigned int i = 0; i < n; i++)
		hops[i] = FAR;
	hops[to] = 0;
	queue[last++] = to;
	while (first < last) {
		const unsigned int b = queue[first++];

		if (b != to && !forwards(sc, b, to))
			continue;
		for (uint32_t i = links->first[b]; i < links->first[b + 1]; i++) {
			const uint32_t l = links->link[i];
			const unsigned int a = number(sc, &sc->link[l / 2].end[!(l % 2)]);

			if (hops[a] != FAR)
				continue;
			hops[a] = hops[b] + 1;
			queue[last++] = a;
		}
	}
}

/* Compute the number of hops between all nodes, once for all switches: those to node i are at
 * hops[i * n]. */
static int
all_distances(struct lab_network *net)
{
	const struct lab_scenario *sc = net->sc;
	const size_t n = sc->n_switches + sc->n_hosts;
	uint32_t *queue = calloc(n, sizeof(*queue));
	struct links links = {NULL};
	int rc = index_links(sc, &links);

	net->hops = malloc(n * n * sizeof(*net->hops));
	if (queue == NULL || net->hops == NULL)
		rc = -ENOMEM;
	for (unsigned int to = 0; rc == 0 && to < n; to++)
		distances(sc, &links, to, net->hops + to * n, queue);
	free_links(&links);
	free(queue);
	return rc;
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
 *
 * @param own the links of the switch, 2 * link + end
 */
static void
write_routes(const struct lab_scenario *sc, unsigned int index, const uint32_t *own,
		unsigned int n_own, unsigned int to, const uint16_t *hops, const char *prefix,
		FILE *out)
{
	char addr[INET6_ADDRSTRLEN];

	if (hops[index] == FAR || !forwards(sc, index, to))
		return;
	for (unsigned int i = 0; i < n_own; i++) {
		const unsigned int l = own[i] / 2, e = own[i] % 2;
		const unsigned int next = number(sc, &sc->link[l].end[!e]);

		if (hops[next] == FAR || hops[next] + 1 != hops[index] ||
				(next != to && !forwards(sc, next, to)))
			continue;
		if (next >= sc->n_switches)
			snprintf(addr, sizeof(addr), "%.*s", (int)strcspn(prefix, "/"), prefix);
		else
			snprintf(addr, sizeof(addr), "2001:db8:e:%x::%x", l + 1, !e + 1);
		fprintf(out, "route add %s via %s port %s\n", prefix, addr, sc->link[l].port[e]);
	}
}

/* Write all that a switch gets. @param own room for its links */
static void
write_switch(const struct lab_network *net, unsigned int index, uint32_t *own, FILE *out)
{
	const struct lab_scenario *sc = net->sc;
	const unsigned int n = sc->n_switches + sc->n_hosts;
	char addr[INET6_ADDRSTRLEN], prefix[INET6_ADDRSTRLEN + 8];
	unsigned int n_own = 0;

	fprintf(out, "set loopback 2001:db8:f::%x\n", index + 1);
	for (unsigned int l = 0; l < 2 * sc->n_links; l++) {
		const struct lab_node *here = &sc->link[l / 2].end[l % 2];

		if (here->kind != LAB_SWITCH || here->index != index)
			continue;
		own[n_own++] = l;
		write_port(net, l / 2, l % 2, out);
	}
	for (unsigned int to = 0; to < n; to++) {
		const uint16_t *hops = net->hops + (size_t)to * n;

		if (to == index)
			continue;
		if (to < sc->n_switches) {
			snprintf(prefix, sizeof(prefix), "2001:db8:f::%x/128", to + 1);
			write_routes(sc, index, own, n_own, to, hops, prefix, out);
			snprintf(prefix, sizeof(prefix), "2001:db8:5:%x::/64", to + 1);
		} else {
			snprintf(prefix, sizeof(prefix), "%s/128",
					text_of(net->host[to - sc->n_switches].addr, addr));
		}
		write_routes(sc, index, own, n_own, to, hops, prefix, out);
	}
}

char *
lab_autoconf(struct lab_network *net, unsigned int index)
{
	uint32_t *own = calloc(2 * (size_t)net->sc->n_links + 1, sizeof(*own));
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (own == NULL || (net->hops == NULL && all_distances(net) != 0)) {
		free(own);
		return NULL;
	}
	out = open_memstream(&text, &size);
	if (out != NULL)
		write_switch(net, index, own, out);
	free(own);
	if (out == NULL || fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
