/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A copy of what a switch has learned, and its text. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "fcn_notice_kind.h"
#include "state_private.h"

/* Entries that a worker copies of its table between two turns. */
#define MACS_A_CALL 1024

/* An array that grows. */
struct pile {
	void *item;
	size_t n, room;
};

struct address {
	uint16_t port;
	struct fcn_addr addr;
};

struct fcn_state {
	const struct fcn_control *ctl;
	uint64_t wall_ns, now;
	struct pile address, neighbour, sender, mac; /* of the structures that are written below */
	struct fcn_learned *learned[FCN_LEARNED_KIND_COUNT];
	uint32_t n_learned[FCN_LEARNED_KIND_COUNT];
};

/* Get a place for one more element. @return NULL when memory is exhausted */
static void *
add(struct pile *p, size_t size)
{
	if (p->n == p->room) {
		const size_t room = p->room != 0 ? 2 * p->room : 64;
		void *item = reallocarray(p->item, room, size);

		if (item == NULL)
			return NULL;
		p->item = item;
		p->room = room;
	}
	return (char *)p->item + size * p->n++;
}

/* ---- the copy ---- */

static int
copy_host(struct fcn_state *s, const struct fcn_host *host)
{
	struct fcn_host_neighbour neighbour, *n;
	struct fcn_host_sender sender, *d;
	struct address address, *a;
	uint32_t next = 0;

	while (fcn_host_address_next(host, &next, &address.port, &address.addr)) {
		a = add(&s->address, sizeof(*a));
		if (a == NULL)
			return -ENOMEM;
		*a = address;
	}
	next = 0;
	while (fcn_host_neighbour_next(host, &next, &neighbour)) {
		if (neighbour.state != FCN_NEIGHBOUR_REACHABLE &&
				neighbour.state != FCN_NEIGHBOUR_PROBE)
			continue;
		n = add(&s->neighbour, sizeof(*n));
		if (n == NULL)
			return -ENOMEM;
		*n = neighbour;
	}
	next = 0;
	while (fcn_host_sender_next(host, &next, &sender)) {
		d = add(&s->sender, sizeof(*d));
		if (d == NULL)
			return -ENOMEM;
		*d = sender;
	}
	return 0;
}

static int
copy_learned(struct fcn_state *s)
{
	for (unsigned int kind = 0; kind < FCN_LEARNED_KIND_COUNT; kind++) {
		s->learned[kind] = fcn_learned_list(s->ctl, kind, &s->n_learned[kind]);
		if (s->learned[kind] == NULL)
			return -ENOMEM;
	}
	return 0;
}

struct macs {
	uint32_t next, n;
	bool end;
	struct fcn_mac_entry entry[MACS_A_CALL]; /* seen_ns holds the age */
};

static void
read_macs(struct fcn_worker *w, void *arg)
{
	struct macs *m = arg;

	m->n = 0;
	while (m->n < MACS_A_CALL && !m->end) {
		struct fcn_mac_entry *e = &m->entry[m->n];
		int64_t age;

		m->end = !fcn_mac_table_next(w->macs, &m->next, e);
		if (m->end)
			break;
		age = (int64_t)(w->now - e->seen_ns);
		e->seen_ns = age > 0 ? (uint64_t)age : 0;
		m->n++;
	}
}

/* The worker that owns a port knows its addresses best. */
static int
copy_macs_of(struct fcn_state *s, unsigned int worker)
{
	struct macs *m = calloc(1, sizeof(*m));
	struct fcn_mac_entry *e;
	int rc = m == NULL ? -ENOMEM : 0;

	while (rc == 0 && !m->end) {
		fcn_worker_read(s->ctl->worker[worker], read_macs, m, sizeof(*m));
		for (uint32_t i = 0; rc == 0 && i < m->n; i++) {
			if (m->entry[i].port >= FCN_MAX_PORTS ||
					s->ctl->place[m->entry[i].port].owner != worker)
				continue;
			e = add(&s->mac, sizeof(*e));
			rc = e == NULL ? -ENOMEM : 0;
			if (rc == 0)
				*e = m->entry[i];
		}
	}
	free(m);
	return rc;
}

struct fcn_state *
fcn_state_create(struct fcn_control *ctl, uint64_t wall_ns)
{
	struct fcn_state *s = calloc(1, sizeof(*s));
	int rc;

	if (s == NULL)
		return NULL;
	s->ctl = ctl;
	s->wall_ns = wall_ns;
	s->now = fcn_control_now(ctl);
	rc = copy_host(s, ctl->host);
	if (rc == 0)
		rc = copy_learned(s);
	for (unsigned int i = 0; rc == 0 && i < ctl->n_workers; i++)
		rc = copy_macs_of(s, i);
	if (rc == 0)
		return s;
	fcn_state_free(s);
	return NULL;
}

void
fcn_state_free(struct fcn_state *s)
{
	if (s == NULL)
		return;
	free(s->address.item);
	free(s->neighbour.item);
	free(s->sender.item);
	free(s->mac.item);
	for (unsigned int kind = 0; kind < FCN_LEARNED_KIND_COUNT; kind++)
		free(s->learned[kind]);
	free(s);
}

/* Write a MAC address in lower case, as `show` does. */
static const char *
format_mac(const struct rte_ether_addr *mac, char text[RTE_ETHER_ADDR_FMT_SIZE])
{
	const uint8_t *b = mac->addr_bytes;

	snprintf(text, RTE_ETHER_ADDR_FMT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2],
			b[3], b[4], b[5]);
	return text;
}

/* ---- the text: each of these writes the lines of one kind. @return their number ---- */

static const char *
port_name(const struct fcn_state *s, uint16_t port)
{
	return s->ctl->config->port[port].name;
}

static size_t
write_address(const struct fcn_state *s, const char *word, FILE *out)
{
	const struct address *a = s->address.item;
	char addr[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < s->address.n; i++)
		fprintf(out, "%s %s %s\n", word, port_name(s, a[i].port),
				fcn_addr_format(&a[i].addr, addr, sizeof(addr)));
	return s->address.n;
}

static size_t
write_neighbour(const struct fcn_state *s, const char *word, FILE *out)
{
	const struct fcn_host_neighbour *n = s->neighbour.item;
	char addr[FCN_ADDR_STRLEN], mac[RTE_ETHER_ADDR_FMT_SIZE];

	for (size_t i = 0; i < s->neighbour.n; i++)
		fprintf(out, "%s %s %s %s\n", word, port_name(s, n[i].port),
				fcn_addr_format(&n[i].addr, addr, sizeof(addr)),
				format_mac(&n[i].mac, mac));
	return s->neighbour.n;
}

/* Seconds until a time. */
static uint64_t
left(const struct fcn_state *s, uint64_t until_ns)
{
	return until_ns > s->now ? (until_ns - s->now) / STATE_SECOND : 0;
}

static size_t
write_sender(const struct fcn_state *s, const char *word, FILE *out)
{
	const struct fcn_host_sender *d = s->sender.item;
	char text[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < s->sender.n; i++) {
		const struct fcn_addr addr = fcn_addr_unmap(d[i].refusal.sender);

		fprintf(out, "%s %s %s %" PRIu64 "\n", word,
				fcn_notice_kind_of(d[i].refusal.kind)->name,
				fcn_addr_format(&addr, text, sizeof(text)), left(s, d[i].until_ns));
	}
	return s->sender.n;
}

static size_t
write_proxy(const struct fcn_state *s, const char *word, FILE *out)
{
	const struct fcn_learned *p = s->learned[FCN_LEARNED_PROXY];
	const uint32_t n = s->n_learned[FCN_LEARNED_PROXY];
	char prefix[FCN_ADDR_STRLEN + 4], proxy[FCN_ADDR_STRLEN];

	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%s %s %s %s %" PRIu64 "\n", word,
				fcn_proxy_origin_name(p[i].item.origin),
				fcn_prefix_format(&p[i].item.prefix, prefix, sizeof(prefix)),
				fcn_addr_format(&p[i].item.proxy, proxy, sizeof(proxy)),
				left(s, p[i].expires_ns));
	return n;
}

static size_t
write_endcon(const struct fcn_state *s, const char *word, FILE *out)
{
	const struct fcn_learned *p = s->learned[FCN_LEARNED_ENDCON];
	const uint32_t n = s->n_learned[FCN_LEARNED_ENDCON];
	char sid[FCN_ADDR_STRLEN];

	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%s %s %s %" PRIu64 "\n", word,
				fcn_proxy_origin_name(p[i].item.origin),
				fcn_addr_format(&p[i].item.prefix.addr, sid, sizeof(sid)),
				left(s, p[i].expires_ns));
	return n;
}

static size_t
write_mac(const struct fcn_state *s, const char *word, FILE *out)
{
	const struct fcn_mac_entry *e = s->mac.item;
	char mac[RTE_ETHER_ADDR_FMT_SIZE];

	for (size_t i = 0; i < s->mac.n; i++)
		fprintf(out, "%s %s %u %s %s %" PRIu64 "\n", word,
				s->ctl->config->bridge[e[i].key.bridge].name, e[i].key.vlan,
				format_mac(&e[i].key.mac, mac), port_name(s, e[i].port),
				e[i].seen_ns / STATE_SECOND);
	return s->mac.n;
}

int
fcn_state_write(const struct fcn_state *s, char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);
	size_t n = 0;
	bool failed;

	if (out == NULL)
		return -ENOMEM;
	fprintf(out, STATE_VERSION " %" PRIu64 "\n", s->wall_ns);
#define STATE_WRITE(sym, word, words) n += write_##sym(s, word, out);
	STATE_LINES(STATE_WRITE)
#undef STATE_WRITE
	if (fflush(out) == 0)
		fprintf(out, STATE_END " %zu %016" PRIx64 "\n", n, state_sum(*text, *len));
	failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(*text);
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}
