/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frames.h"

#define SNAPLEN 65535
#define NS_IN_S 1000000000
#define NAME_MAX_LEN 4096

/* Capture of one direction of a link. */
struct capture {
	char *name;
	pcap_dumper_t *dumper; /* NULL: this direction is not captured */
	FILE *stream;
};

struct lab_frames {
	pcap_t *pcap;
	struct capture *capture; /* indexed by link * 2 + direction */
	unsigned int n;
};

static const char *
node_name(const struct lab_scenario *sc, struct lab_node node)
{
	return node.kind == LAB_SWITCH ? sc->node_switch[node.index].name
				       : sc->host[node.index].name;
}

static bool
is_same_node(struct lab_node a, struct lab_node b)
{
	return a.kind == b.kind && a.index == b.index;
}

void
lab_link_label(const struct lab_scenario *sc, unsigned int link, unsigned int direction,
		char *label, size_t size)
{
	const struct lab_link *l = &sc->link[link];
	struct lab_node from = l->end[direction], to = l->end[!direction];
	unsigned int alike = 1;

	for (unsigned int i = 0; i < link; i++) {
		const struct lab_link *o = &sc->link[i];

		alike += (is_same_node(o->end[0], from) && is_same_node(o->end[1], to)) ||
			 (is_same_node(o->end[1], from) && is_same_node(o->end[0], to));
	}
	if (alike == 1)
		snprintf(label, size, "%s-%s", node_name(sc, from), node_name(sc, to));
	else
		snprintf(label, size, "%s-%s-%u", node_name(sc, from), node_name(sc, to), alike);
}

static int
open_capture(struct lab_frames *f, struct capture *c, const char *dir, const char *label)
{
	char name[NAME_MAX_LEN];

	snprintf(name, sizeof(name), "%s/%s.pcap", dir, label);
	c->name = strdup(name);
	c->stream = fopen(name, "we");
	if (c->stream == NULL || c->name == NULL)
		return -1;
	c->dumper = pcap_dump_fopen(f->pcap, c->stream);
	if (c->dumper == NULL) {
		fclose(c->stream);
		errno = EIO;
	}
	return c->dumper == NULL ? -1 : 0;
}

struct lab_frames *
lab_frames_create(const struct lab_scenario *sc, const char *dir, char *err, size_t err_size)
{
	struct lab_frames *f = calloc(1, sizeof(*f));
	char label[3 * LAB_NAME_LEN];

	if (f == NULL)
		goto no_memory;
	f->n = 2 * sc->n_links;
	f->capture = calloc(f->n + 1, sizeof(*f->capture));
	f->pcap = pcap_open_dead_with_tstamp_precision(
			DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	if (f->capture == NULL || f->pcap == NULL)
		goto no_memory;
	for (unsigned int i = 0; i < f->n; i++) {
		if (!sc->link[i / 2].pcap)
			continue;
		lab_link_label(sc, i / 2, i % 2, label, sizeof(label));
		if (open_capture(f, &f->capture[i], dir, label) != 0) {
			snprintf(err, err_size, "%s/%s.pcap: %s", dir, label, strerror(errno));
			lab_frames_close(f);
			return NULL;
		}
	}
	return f;

no_memory:
	snprintf(err, err_size, "out of memory");
	lab_frames_close(f);
	return NULL;
}

static int
close_capture(struct capture *c)
{
	int rc = 0;

	if (c->dumper != NULL) {
		if (pcap_dump_flush(c->dumper) != 0 || ferror(c->stream) != 0) {
			fprintf(stderr, "%s: could not be written: %s\n", c->name, strerror(errno));
			rc = -EIO;
		}
		pcap_dump_close(c->dumper);
	}
	free(c->name);
	return rc;
}

int
lab_frames_close(struct lab_frames *f)
{
	int rc = 0;

	if (f == NULL)
		return 0;
	for (unsigned int i = 0; f->capture != NULL && i < f->n; i++)
		if (close_capture(&f->capture[i]) != 0)
			rc = -EIO;
	if (f->pcap != NULL)
		pcap_close(f->pcap);
	free(f->capture);
	free(f);
	return rc;
}

void
lab_frames_put(struct lab_frames *f, unsigned int link, unsigned int direction,
		const struct rte_mbuf *frame, enum fcn_link_fate fate, uint64_t departed)
{
	uint8_t linear[SNAPLEN]; /* copy of a frame that has several segments */
	struct pcap_pkthdr hdr = {
			.ts = {.tv_sec = (time_t)(departed / NS_IN_S),
					.tv_usec = (suseconds_t)(departed % NS_IN_S)},
			.caplen = RTE_MIN(frame->pkt_len, (uint32_t)SNAPLEN),
			.len = frame->pkt_len,
	};
	pcap_dumper_t *dumper = f->capture[2 * link + direction].dumper;

	if (likely(dumper == NULL) || fate == FCN_LINK_DOWN || fate == FCN_LINK_TOO_LONG)
		return;
	pcap_dump((u_char *)dumper, &hdr, rte_pktmbuf_read(frame, 0, hdr.caplen, linear));
}
