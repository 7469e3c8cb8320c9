/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rte_jhash.h>

#include "fcn_capture_stream.h"
#include "replay_mirror_private.h"

static struct rte_hash *
table(const char *name, uint32_t entries, uint32_t key_len)
{
	return rte_hash_create(&(struct rte_hash_parameters){
			.name = name,
			.entries = entries,
			.key_len = key_len,
			.hash_func = rte_jhash,
			.hash_func_init_val = 1,
			.socket_id = SOCKET_ID_ANY,
	});
}

void
replay_mirror_free(struct replay_mirror *m)
{
	if (m == NULL)
		return;
	rte_hash_free(m->station_table);
	rte_hash_free(m->address_table);
	free(m->station);
	free(m->address);
	free(m->recent);
	if (m->spool != NULL)
		fclose(m->spool);
	free(m);
}

/* Standard input can be read only once: keep what it has. */
static int
spool(struct replay_mirror *m)
{
	char buf[64 * 1024];
	size_t n;

	if (m->spool != NULL) {
		fputs("fastcn replay: --mirror -: standard input is read only once\n", stderr);
		return -1;
	}
	m->spool = tmpfile();
	while (m->spool != NULL && (n = fread(buf, 1, sizeof(buf), stdin)) > 0)
		fwrite(buf, 1, n, m->spool);
	if (m->spool == NULL || ferror(stdin) || fflush(m->spool) != 0 || ferror(m->spool)) {
		fprintf(stderr, "fastcn replay: standard input: %s\n", strerror(errno));
		return -1;
	}
	snprintf(m->spool_path, sizeof(m->spool_path), "/dev/fd/%d", fileno(m->spool));
	return 0;
}

/* Find the files to read. */
static int
find_files(struct replay_mirror *m)
{
	for (unsigned int i = 0; i < m->opt->n_files; i++) {
		struct stat is;

		m->path[i] = m->opt->file[i];
		if (strcmp(m->path[i], "-") != 0 && stat(m->path[i], &is) == 0 &&
				!S_ISREG(is.st_mode)) {
			fprintf(stderr,
					"fastcn replay: --mirror %s: it is read twice, and is no "
					"file "
					"that can be: --mirror - reads standard input\n",
					m->path[i]);
			return -1;
		}
		if (strcmp(m->path[i], "-") != 0)
			continue;
		if (spool(m) != 0)
			return -1;
		m->path[i] = m->spool_path;
	}
	return 0;
}

/* Read all files, which is done as soon as they are opened. */
static int
scan(struct replay_mirror *m)
{
	const struct fcn_replay_watch watch = {.arg = m, .place = replay_mirror_scan};
	struct fcn_replay *reader = fcn_replay_create(1);
	const char *message;
	char err[512] = "out of memory";
	int rc = reader != NULL ? 0 : -1;

	if (reader != NULL) {
		fcn_replay_pad(reader);
		fcn_replay_watch(reader, &watch);
	}
	for (unsigned int i = 0; rc == 0 && i < m->opt->n_files; i++)
		rc = fcn_replay_mirror(reader, m->path[i], m->opt->filter[i], err, sizeof(err));
	if (rc != 0)
		fprintf(stderr, "fastcn replay: %s\n", err);
	/* What is wrong with a file is said when it is replayed, unless nothing of it can be. */
	if (rc == 0 && m->frames == 0) {
		message = fcn_replay_error(reader, 0);
		fprintf(stderr, "fastcn replay: %s%s\n",
				message != NULL ? message : m->opt->file[0],
				message != NULL             ? ""
				: m->opt->interface != NULL ? ": no frames of that interface"
							    : ": no frames");
		rc = -1;
	}
	if (reader != NULL)
		fcn_replay_mirror_stats(reader, &m->scan_stats);
	fcn_replay_free(reader);
	return rc == 0 ? 0 : -1;
}

struct replay_mirror *
replay_mirror_create(const struct replay_mirror_options *opt, struct replay_flows *flows)
{
	struct replay_mirror *m = calloc(1, sizeof(*m));

	if (m == NULL) {
		fputs("fastcn replay: out of memory\n", stderr);
		return NULL;
	}
	m->opt = opt;
	m->flows = flows;
	m->station_table = table("mirror_stations", MIRROR_STATIONS, RTE_ETHER_ADDR_LEN);
	m->address_table = table("mirror_addresses", MIRROR_ADDRESSES, 16);
	m->station = calloc(MIRROR_STATIONS, sizeof(*m->station));
	m->address = calloc(MIRROR_ADDRESSES, sizeof(*m->address));
	m->recent = calloc(MIRROR_RECENT, sizeof(*m->recent));
	if (m->station_table == NULL || m->address_table == NULL || m->station == NULL ||
			m->address == NULL || m->recent == NULL) {
		fputs("fastcn replay: out of memory\n", stderr);
		replay_mirror_free(m);
		return NULL;
	}
	if (find_files(m) != 0 || scan(m) != 0) {
		replay_mirror_free(m);
		return NULL;
	}
	replay_mirror_conclude(m);
	if (opt->n_files > 1 && !m->by_interface) {
		fputs("fastcn replay: --mirror: a frame that two files have would come twice: "
		      "merge "
		      "them by time, for example mergecap -w - FILE... | fastcn replay --mirror "
		      "-\n",
				stderr);
		replay_mirror_free(m);
		return NULL;
	}
	memset(m->recent, 0, MIRROR_RECENT * sizeof(*m->recent));
	return m;
}

/* ---- the second time ---- */

/* Choose the port by interface. @return -1: it is not used */
static int
place_by_interface(struct replay_mirror *m, const struct fcn_replay_frame *frame)
{
	const uint32_t n = replay_mirror_interface(m, frame->interface);

	if (frame->direction == FCN_CAPTURE_OUTBOUND) {
		m->counts.outbound++;
		return -1;
	}
	if (n == NOBODY || m->interface[n].port < 0) {
		m->counts.no_port++;
		return -1;
	}
	m->interface[n].entered++;
	return m->interface[n].port;
}

/* Find the port whose own address a frame is for. @return -1: none */
static int
addressed_port(const struct replay_mirror *m, const uint8_t *mac)
{
	const struct fcn_snapshot *snapshot = fcn_control_snapshot(m->ctl);
	struct rte_ether_addr to;

	memcpy(&to, mac, sizeof(to));
	for (unsigned int p = 0; p < snapshot->n_ports; p++) {
		if (fcn_control_port(m->ctl, p) != NULL &&
				rte_is_same_ether_addr(&snapshot->port[p].mac, &to))
			return (int)p;
	}
	return -1;
}

/* Choose the port by MAC address. @return -1: it is not used */
static int
place_by_station(struct replay_mirror *m, const struct fcn_replay_frame *frame,
		const struct replay_frame *f)
{
	const uint32_t from = replay_mirror_station(m, frame->data + RTE_ETHER_ADDR_LEN, false);
	const struct mirror_address *source = replay_mirror_address(m, f->source, false);
	int port = from != NOBODY ? m->station[from].port : -1;

	if (from != NOBODY && source != NULL && replay_mirror_is_forwarded(source, from)) {
		m->counts.forwarded++;
		return -1;
	}
	if (port < 0 && !m->made)
		port = addressed_port(m, frame->data);
	if (port < 0) {
		m->counts.no_port++;
		return -1;
	}
	if (from != NOBODY)
		m->station[from].entered++;
	return port;
}

/* Send a packet to the station that has its destination address, and not to a router: the switch
 * that is replayed takes the router's place. */
static void
reroute(struct replay_mirror *m, const struct fcn_replay_frame *frame, const struct replay_frame *f,
		struct fcn_replay_place *place)
{
	const uint32_t to = replay_mirror_station(m, frame->data, false);
	const struct mirror_address *destination = replay_mirror_address(m, f->destination, false);

	if (to == NOBODY || destination == NULL || destination->home == NOBODY ||
			destination->home == to)
		return;
	memcpy(place->to, &m->station[destination->home].mac, sizeof(place->to));
	place->has_to = true;
	m->counts.rerouted++;
}

static void
place(void *arg, const struct fcn_replay_frame *frame, struct fcn_replay_place *place)
{
	struct replay_mirror *m = arg;
	struct replay_frame f;
	int port;

	m->counts.frames++;
	if (!replay_mirror_selected(m, frame->interface)) {
		m->counts.other_interface++;
		return;
	}
	replay_frame_read(&f, frame->data, frame->captured, frame->len, frame->stamp);
	if (m->has_copies && replay_mirror_is_copy(m, &f)) {
		m->counts.copies++;
		return;
	}
	port = m->by_interface ? place_by_interface(m, frame) : place_by_station(m, frame, &f);
	replay_flows_frame(m->flows, &f, port >= 0);
	if (port < 0)
		return;
	place->port = fcn_control_port(m->ctl, (unsigned int)port)->priv;
	m->counts.entered[f.kind]++;
	if (m->made && !m->by_interface)
		reroute(m, frame, &f, place);
	place->as_ipv6 = m->opt->ipv6 && (f.info.flags & FCN_PKT_IPV4) != 0;
	m->counts.translated += place->as_ipv6;
}

static void
sent(void *arg, const struct rte_mbuf *packet, uint64_t left_ns)
{
	struct replay_mirror *m = arg;

	replay_flows_sent(m->flows, fcn_control_config(m->ctl), fcn_control_snapshot(m->ctl),
			packet, left_ns);
}

int
replay_mirror_open(struct replay_mirror *m)
{
	const struct fcn_replay_watch watch = {.arg = m, .place = place, .sent = sent};
	char err[512];

	fcn_replay_watch(m->replay, &watch);
	for (unsigned int i = 0; i < m->opt->n_files; i++) {
		if (fcn_replay_mirror(m->replay, m->path[i], m->opt->filter[i], err, sizeof(err)) !=
				0) {
			fprintf(stderr, "fastcn replay: %s\n", err);
			return -1;
		}
	}
	return 0;
}
