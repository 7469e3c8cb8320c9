/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

#include "fcn_capture_stream.h"
#include "network.h"

#define NS_IN_S UINT64_C(1000000000)
/*
 * Timestamps and times of the run are below this number of seconds. A timestamp in a pcap file is,
 * because it has 32 bits for them; one in a pcapng file that is not is refused.
 */
#define MAX_SECONDS (INT64_C(1) << 32)
#define MAX_NS ((uint64_t)MAX_SECONDS * NS_IN_S)

/* A capture file whose frames a host sends at the times of their timestamps. The next frame is
 * read in advance, in order to know when it is due. */
struct lab_net_capture {
	struct lab_net_host *host;
	const struct lab_capture *conf;
	pcap_t *pcap;
	struct pcap_pkthdr *hdr;
	const u_char *data;
	bool begun;
	uint64_t first;    /* timestamp of the first frame, ns */
	uint64_t due;      /* virtual time of the next frame, ns */
	uint64_t left_out; /* number of frames that were truncated or too long */
	struct fcn_sim_event event;
};

/*
 * Get the timestamp of a frame in nanoseconds. A pcap file holds the seconds as an unsigned number
 * of 32 bits, and libpcap returns them as a signed one, which is negative in the years 2038 to
 * 2106.
 *
 * @return false if the timestamp is not below MAX_SECONDS
 */
static bool
stamp_of(const struct pcap_pkthdr *hdr, uint64_t *stamp)
{
	int64_t sec = hdr->ts.tv_sec, ns = hdr->ts.tv_usec;

	if (sec < 0 && sec >= INT32_MIN)
		sec += MAX_SECONDS;
	if (sec < 0 || sec >= MAX_SECONDS || ns < 0)
		return false;
	*stamp = (uint64_t)sec * NS_IN_S + (uint64_t)ns;
	return *stamp < MAX_NS;
}

/* Compute when the frame that was read is due. @return NULL, or an error of its timestamp */
static const char *
set_due(struct lab_net_capture *c)
{
	uint64_t stamp, since;
	double wait;

	if (!stamp_of(c->hdr, &stamp))
		return "stamp out of range";
	if (!c->begun)
		c->first = stamp;
	c->begun = true;
	since = stamp > c->first ? stamp - c->first : 0;
	wait = (double)since / c->conf->speed + 0.5;
	if (wait >= (double)MAX_NS || c->conf->start_ns >= FCN_SIM_NEVER - (uint64_t)wait)
		return "stamp out of range at this speed";
	c->due = c->conf->start_ns + (uint64_t)wait;
	return NULL;
}

/* Read the next frame that can be sent, and compute when. @return false if there is none */
static bool
advance(struct lab_net_capture *c)
{
	const char *wrong;
	int rc;

	while ((rc = pcap_next_ex(c->pcap, &c->hdr, &c->data)) == 1) {
		if (c->hdr->caplen == c->hdr->len && c->hdr->len >= RTE_ETHER_HDR_LEN &&
				c->hdr->len <= FCN_ENDPOINT_MAX_FRAME)
			break;
		c->left_out++;
	}
	wrong = rc == 1 ? set_due(c) : rc == PCAP_ERROR ? pcap_geterr(c->pcap) : NULL;
	if (wrong != NULL)
		lab_violation(c->host->part, "%s: %s", c->conf->file, wrong);
	return rc == 1 && wrong == NULL;
}

/* Send the next frame if it is due and the link is free. */
static void
send_next(void *arg, uint64_t now)
{
	struct lab_net_capture *c = arg;
	struct lab_net_host *h = c->host;
	uint64_t ready = fcn_link_ready(h->link, h->end);
	struct rte_mbuf *frame;

	if (ready > now) {
		fcn_sim_schedule(h->part->sim, &c->event, ready);
		return;
	}
	frame = rte_pktmbuf_alloc(h->net->pool);
	if (frame == NULL) {
		h->no_mbuf++;
	} else {
		memcpy(rte_pktmbuf_append(frame, c->hdr->len), c->data, c->hdr->len);
		h->sent++;
		fcn_link_send(h->link, h->end, frame, now);
	}
	if (!advance(c)) {
		lab_traffic_ended(h->part);
		return;
	}
	fcn_sim_schedule(h->part->sim, &c->event, RTE_MAX(c->due, fcn_link_ready(h->link, h->end)));
}

/* Open a capture, to be read without the FCS that it may hold of each frame. */
static pcap_t *
open_file(const char *name, char why[PCAP_ERRBUF_SIZE])
{
	FILE *file = fopen(name, "rbe"), *stream = NULL;
	pcap_t *pcap;

	if (file != NULL) {
		setvbuf(file, NULL, _IONBF, 0);
		stream = fcn_capture_stream(file, NULL);
	}
	if (stream == NULL) {
		snprintf(why, PCAP_ERRBUF_SIZE, "%s", strerror(errno));
		if (file != NULL)
			fclose(file);
		return NULL;
	}
	pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (pcap == NULL)
		fclose(stream);
	return pcap;
}

int
lab_capture_init(struct lab_network *net, const struct lab_capture *conf)
{
	struct lab_net_host *h = &net->host[conf->host];
	struct lab_net_capture *c = calloc(1, sizeof(*c));
	char why[PCAP_ERRBUF_SIZE] = "";

	if (c == NULL)
		return -ENOMEM;
	h->capture = c;
	c->host = h;
	c->conf = conf;
	c->pcap = open_file(conf->file, why);
	if (c->pcap == NULL) {
		fprintf(net->err, "%s: %s\n", conf->file, why);
		return -ENOENT;
	}
	if (pcap_datalink(c->pcap) != DLT_EN10MB) {
		fprintf(net->err, "%s: not a capture of Ethernet frames\n", conf->file);
		return -EINVAL;
	}
	if (fcn_sim_event_init(h->part->sim, &c->event, FCN_SIM_TRAFFIC, send_next, c) != 0)
		return -ENOMEM;
	if (!advance(c))
		return 0;
	net->n_ending++;
	fcn_sim_schedule(h->part->sim, &c->event, c->due);
	return 0;
}

void
lab_capture_fini(struct lab_net_host *h)
{
	struct lab_net_capture *c = h->capture;

	if (c == NULL)
		return;
	fcn_sim_event_fini(h->part->sim, &c->event);
	if (c->left_out != 0)
		fprintf(h->net->err,
				"%s: %" PRIu64
				" frames were left out because they are truncated or too long\n",
				c->conf->file, c->left_out);
	if (c->pcap != NULL)
		pcap_close(c->pcap);
	free(c);
	h->capture = NULL;
}
