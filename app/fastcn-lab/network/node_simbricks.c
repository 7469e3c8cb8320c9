/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A host that is in another simulator, its peer. A message of the peer has the time at which it
 * arrives, and none that follows has an earlier one. So the run knows what arrives before the time
 * of the message that it read last, and goes on up to there. It waits for a message only if it can
 * go on no other way, and reads one only when its time has come; so the result does not depend on
 * how fast the peer is.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_names.h"
#include "network.h"
#include "simbricks_channel.h"

#define PS_IN_NS 1000
#define NS_IN_MS 1000000

/* A virtual time, in ns, at which a run that nothing else ends is given up. */
#define TOO_LATE UINT64_C(10000000000000000)

/* Maximum number of frames of a peer that wait for its link. */
#define LINE_FRAMES 4096

/* Maximum number of bytes that wait for room in the queue to a peer. */
#define PENDING_BYTES (UINT64_C(64) << 20)

/* With more messages than this for one instant, a peer does not let time go on. */
#define MESSAGES_AT_ONCE 1000000

/* X(symbol, name): why a frame from or to a peer was dropped */
#define DROPS(X)                      \
	X(TOO_SHORT, "too_short")     \
	X(TOO_LONG, "too_long")       \
	X(LINE_FULL, "line_full")     \
	X(NO_MBUF, "no_mbuf")         \
	X(ENTRY_SHORT, "entry_short") \
	X(ENDED, "ended")

enum drop {
#define DROP_ENUM(sym, name) DROP_##sym,
	DROPS(DROP_ENUM)
#undef DROP_ENUM
	DROP_COUNT,
};

#define DROP_FIRST_TO_PEER DROP_ENTRY_SHORT

FCN_STATIC_NAME_FUNCTION(drop_name, enum drop, DROPS(FCN_ITEM_WORD))

/* A message that waits for room in the queue to the peer. */
struct pending {
	struct pending *next;
	struct simbricks_message message;
	uint8_t data[];
};

struct lab_net_peer {
	struct lab_network *net;
	struct lab_net_host *host;
	const struct lab_simbricks *conf;
	struct simbricks_channel *ch;
	bool ended;   /* no messages follow, in either direction */
	bool counted; /* it is counted in net->n_ending */
	/* The next message of the peer, if it is known, and the ns at which it is due. */
	bool known;
	struct simbricks_message next;
	uint64_t due;
	uint64_t time;     /* of its last message, ps */
	uint64_t at_once;  /* messages of that time */
	uint64_t sync_due; /* virtual time of the next message to the peer, ns */
	struct pending *first_pending, **last_pending;
	uint64_t pending_bytes;
	/* a ring of frames that wait for the link */
	struct rte_mbuf *line[LINE_FRAMES];
	uint32_t first, waiting;
	struct fcn_sim_event event;                   /* the link is free */
	uint64_t received, sent, dropped[DROP_COUNT]; /* frames from the peer, and to it */
	uint8_t linear[UINT16_MAX];
};

static const char *
name_of(const struct lab_net_peer *p)
{
	return p->net->sc->host[p->host->index].name;
}

static bool
stopped(const struct lab_network *net)
{
	return net->stop != NULL && *net->stop != 0;
}

/* Note the end of a peer, once all of its frames are on the link. */
static void
count_end(struct lab_net_peer *p)
{
	if (!p->counted || !p->ended || p->waiting != 0)
		return;
	p->counted = false;
	lab_traffic_ended(p->net->whole);
}

/* ---- to the peer ---- */

/* Pass messages that wait on, as far as there is room. */
static void
flush(struct lab_net_peer *p)
{
	while (p->first_pending != NULL) {
		struct pending *one = p->first_pending;

		if (!simbricks_queue_put(simbricks_channel_out(p->ch), &one->message))
			return;
		p->pending_bytes -= sizeof(*one) + one->message.length;
		p->first_pending = one->next;
		if (p->first_pending == NULL)
			p->last_pending = &p->first_pending;
		free(one);
	}
}

/* Let a message wait for room. */
static void
put_aside(struct lab_net_peer *p, const struct simbricks_message *m)
{
	struct pending *one = malloc(sizeof(*one) + m->length);

	if (one == NULL || p->pending_bytes > PENDING_BYTES) {
		lab_fail(p->net->whole, "%s: %s", name_of(p),
				one == NULL ? "out of memory"
					    : "its simulator does not read what is sent to it");
		free(one);
		return;
	}
	*one = (struct pending){.message = *m};
	if (m->length != 0)
		memcpy(one->data, m->data, m->length);
	one->message.data = one->data;
	p->pending_bytes += sizeof(*one) + m->length;
	*p->last_pending = one;
	p->last_pending = &one->next;
}

static void
send_message(struct lab_net_peer *p, enum simbricks_type type, const uint8_t *data, uint16_t length,
		uint64_t now)
{
	const struct simbricks_message m = {.type = type,
			.data = data,
			.length = length,
			.time = (now + p->conf->latency_ns) * PS_IN_NS};

	flush(p);
	if (p->first_pending != NULL || !simbricks_queue_put(simbricks_channel_out(p->ch), &m))
		put_aside(p, &m);
	p->sync_due = now + p->conf->sync_ns;
}

/* A frame arrives at the peer's end of its link. */
static void
deliver(void *arg, struct rte_mbuf *frame, uint64_t now)
{
	struct lab_net_peer *p = arg;
	const uint32_t length = frame->pkt_len;

	p->host->received++;
	if (p->ended) {
		p->dropped[DROP_ENDED]++;
	} else if (length > RTE_MIN(simbricks_queue_room(simbricks_channel_out(p->ch)),
					    sizeof(p->linear))) {
		p->dropped[DROP_ENTRY_SHORT]++;
	} else {
		send_message(p, SIMBRICKS_IS_FRAME, rte_pktmbuf_read(frame, 0, length, p->linear),
				(uint16_t)length, now);
		p->sent++;
	}
	rte_pktmbuf_free(frame);
}

/* ---- from the peer ---- */

/* Send frames that wait, if the link is free. */
static void
use_link(void *arg, uint64_t now)
{
	struct lab_net_peer *p = arg;
	struct lab_net_host *h = p->host;

	while (p->waiting != 0 && fcn_link_ready(h->link, h->end) <= now) {
		h->sent++;
		fcn_link_send(h->link, h->end, p->line[p->first], now);
		p->first = (p->first + 1) % LINE_FRAMES;
		p->waiting--;
	}
	if (p->waiting != 0)
		fcn_sim_schedule(p->net->sim, &p->event, fcn_link_ready(h->link, h->end));
	count_end(p);
}

/* Get why a frame of the peer cannot be sent; DROP_COUNT: it can be. */
static enum drop
refuse(const struct lab_net_peer *p, uint32_t length)
{
	if (length < RTE_ETHER_HDR_LEN)
		return DROP_TOO_SHORT;
	if (length > FCN_ENDPOINT_MAX_FRAME)
		return DROP_TOO_LONG;
	return p->waiting < LINE_FRAMES ? DROP_COUNT : DROP_LINE_FULL;
}

static void
take_frame(struct lab_net_peer *p, uint64_t now)
{
	enum drop drop = refuse(p, p->next.length);
	struct rte_mbuf *frame = NULL;

	p->received++;
	if (drop == DROP_COUNT) {
		frame = rte_pktmbuf_alloc(p->net->pool);
		drop = frame != NULL ? DROP_COUNT : DROP_NO_MBUF;
	}
	if (drop != DROP_COUNT) {
		p->dropped[drop]++;
		return;
	}
	memcpy(rte_pktmbuf_append(frame, p->next.length), p->next.data, p->next.length);
	p->line[(p->first + p->waiting++) % LINE_FRAMES] = frame;
	use_link(p, now);
}

/* Take the message that is known; its time has come. */
static void
take(struct lab_net_peer *p)
{
	fcn_sim_advance(p->net->sim, p->due);
	if (p->next.type == SIMBRICKS_IS_FRAME)
		take_frame(p, p->due);
	p->known = false;
	simbricks_queue_next(simbricks_channel_in(p->ch));
}

/* Note the message that was read. */
static void
know(struct lab_net_peer *p)
{
	simbricks_channel_heard(p->ch);
	if (p->next.type == SIMBRICKS_IS_END) {
		p->ended = true;
		count_end(p);
		return;
	}
	if (p->next.time < p->time) {
		lab_fail(p->net->whole, "%s: the time of its simulator goes backwards", name_of(p));
		return;
	}
	p->at_once = p->next.time == p->time ? p->at_once + 1 : 0;
	if (p->at_once > MESSAGES_AT_ONCE) {
		lab_fail(p->net->whole, "%s: the time of its simulator does not go on", name_of(p));
		return;
	}
	p->time = p->next.time;
	p->due = p->time / PS_IN_NS + (p->time % PS_IN_NS != 0);
	p->known = true;
}

/* Pass on what waits for room in the queue to any peer, as a peer that waits for it helps none. */
static void
flush_all(struct lab_network *net)
{
	for (unsigned int i = 0; i < net->sc->n_simbricks; i++)
		flush(&net->peer[i]);
}

/*
 * Wait until the next message of a peer is known, or that none follows.
 *
 * @return false if the run failed or is to be stopped
 */
static bool
listen_to(struct lab_net_peer *p)
{
	const char *why = NULL;
	bool gone = false;

	while (!p->known && !p->ended) {
		const int rc = simbricks_queue_peek(simbricks_channel_in(p->ch), &p->next, &why);

		if (rc > 0)
			know(p);
		else if (rc < 0)
			lab_fail(p->net->whole, "%s: its simulator sent %s", name_of(p), why);
		else if (gone)
			lab_fail(p->net->whole, "%s: its simulator cannot be waited for: %s",
					name_of(p), simbricks_channel_error(p->ch));
		if (p->net->failed || stopped(p->net))
			return false;
		if (rc != 0)
			continue;
		flush_all(p->net);
		/* what it sent before it went is read once more */
		gone = simbricks_channel_wait(p->ch) != 0;
	}
	return true;
}

/* ---- all peers ---- */

/*
 * Find the peer with the earliest message; of several, the first one of the scenario.
 *
 * @param first set to NULL if all peers have ended
 * @return false if the run failed or is to be stopped
 */
static bool
find_first(struct lab_network *net, struct lab_net_peer **first)
{
	*first = NULL;
	for (unsigned int i = 0; i < net->sc->n_simbricks; i++) {
		struct lab_net_peer *p = &net->peer[i];

		if (!listen_to(p))
			return false;
		if (!p->ended && (*first == NULL || p->due < (*first)->due))
			*first = p;
	}
	return true;
}

/* Get the time at which a message to a peer is due. */
static uint64_t
next_sync(const struct lab_network *net)
{
	uint64_t next = FCN_SIM_NEVER;

	for (unsigned int i = 0; i < net->sc->n_simbricks; i++)
		if (!net->peer[i].ended)
			next = RTE_MIN(next, net->peer[i].sync_due);
	return next;
}

static void
send_syncs(struct lab_network *net, uint64_t now)
{
	for (unsigned int i = 0; i < net->sc->n_simbricks; i++)
		if (!net->peer[i].ended && net->peer[i].sync_due <= now)
			send_message(&net->peer[i], SIMBRICKS_IS_SYNC, NULL, 0, now);
}

bool
lab_simbricks_turn(struct lab_network *net)
{
	struct lab_net_peer *first;

	for (;;) {
		const uint64_t next = RTE_MIN(fcn_sim_next(net->sim), net->sc->duration_ns);
		const uint64_t sync = next_sync(net), until = RTE_MIN(next, sync);

		if (net->failed || stopped(net))
			return false;
		if (sync == FCN_SIM_NEVER)
			return true;
		if (until > TOO_LATE) {
			lab_fail(net->whole, "nothing ends the run");
			return false;
		}
		if (!find_first(net, &first))
			return false;
		if (first != NULL && first->due < until) {
			take(first);
			continue;
		}
		/* All is known of the time before; what is sent at it is promised first. */
		if (sync <= until) {
			fcn_sim_advance(net->sim, sync);
			send_syncs(net, sync);
			continue;
		}
		if (first == NULL || first->due > until)
			return true;
		take(first);
	}
}

void
lab_simbricks_meet(struct lab_network *net)
{
	unsigned int left = net->sc->n_simbricks;

	while (left != 0 && !stopped(net)) {
		for (unsigned int i = 0; i < net->sc->n_simbricks; i++) {
			struct lab_net_peer *p = &net->peer[i];
			int rc = p->counted ? 0 : simbricks_channel_meet(p->ch);

			if (rc < 0) {
				lab_fail(net->whole, "%s: %s: %s", name_of(p), p->conf->path,
						simbricks_channel_error(p->ch));
				return;
			}
			if (rc == 0)
				continue;
			left--;
			p->ended = false;
			p->counted = true;
			net->n_ending++;
			send_message(p, SIMBRICKS_IS_SYNC, NULL, 0, 0);
		}
		if (left != 0)
			simbricks_channel_doze();
	}
}

void
lab_simbricks_end(struct lab_network *net)
{
	const uint64_t now = fcn_sim_now(net->sim);

	for (unsigned int i = 0; i < net->sc->n_simbricks; i++) {
		struct lab_net_peer *p = &net->peer[i];

		if (p->ended)
			continue;
		send_message(p, SIMBRICKS_IS_END, NULL, 0, now);
		p->ended = true;
		for (flush(p); p->first_pending != NULL && !stopped(net); flush(p))
			if (simbricks_channel_wait(p->ch) != 0)
				break;
	}
}

/* ---- its life ---- */

static int
init_peer(struct lab_network *net, struct lab_net_peer *p, const struct lab_simbricks *conf)
{
	const struct simbricks_conf channel = {.path = conf->path,
			.listen = conf->listen,
			.wait_ms = conf->wait_ns / NS_IN_MS,
			.max_frame = FCN_ENDPOINT_MAX_FRAME};
	char why[256];

	p->net = net;
	p->host = &net->host[conf->host];
	p->conf = conf;
	p->ended = true;
	p->last_pending = &p->first_pending;
	p->host->peer = p;
	fcn_link_attach(p->host->link, p->host->end, deliver, p);
	if (fcn_sim_event_init(net->sim, &p->event, FCN_SIM_NODE, use_link, p) != 0)
		return -ENOMEM;
	p->ch = simbricks_channel_create(&channel, why, sizeof(why));
	if (p->ch != NULL)
		return 0;
	fprintf(net->err, "%s: %s: %s\n", name_of(p), conf->path, why);
	return -EIO;
}

int
lab_simbricks_init(struct lab_network *net)
{
	int rc = 0;

	net->peer = calloc(net->sc->n_simbricks + 1, sizeof(net->peer[0]));
	if (net->peer == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; rc == 0 && i < net->sc->n_simbricks; i++)
		rc = init_peer(net, &net->peer[i], &net->sc->simbricks[i]);
	return rc;
}

void
lab_simbricks_fini(struct lab_network *net)
{
	for (unsigned int i = 0; net->peer != NULL && i < net->sc->n_simbricks; i++) {
		struct lab_net_peer *p = &net->peer[i];

		if (p->net == NULL)
			continue;
		fcn_sim_event_fini(net->sim, &p->event);
		for (; p->waiting != 0; p->waiting--) {
			rte_pktmbuf_free(p->line[p->first]);
			p->first = (p->first + 1) % LINE_FRAMES;
		}
		while (p->first_pending != NULL) {
			struct pending *one = p->first_pending;

			p->first_pending = one->next;
			free(one);
		}
		simbricks_channel_free(p->ch);
	}
	free(net->peer);
	net->peer = NULL;
}

/* ---- what is counted ---- */

json_t *
lab_simbricks_result(const struct lab_net_peer *p)
{
	json_t *o = json_object(), *dropped = json_object();

	json_object_set_new(o, "received", json_integer((json_int_t)p->received));
	json_object_set_new(o, "sent", json_integer((json_int_t)p->sent));
	json_object_set_new(o, "waiting", json_integer((json_int_t)p->waiting));
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		json_object_set_new(dropped, drop_name(i), json_integer((json_int_t)p->dropped[i]));
	json_object_set_new(o, "dropped", dropped);
	return o;
}

void
lab_simbricks_check_end(struct lab_network *net)
{
	for (unsigned int i = 0; i < net->sc->n_simbricks; i++) {
		const struct lab_net_peer *p = &net->peer[i];
		uint64_t from = p->host->sent + p->waiting, to = p->sent;

		for (unsigned int d = 0; d < DROP_COUNT; d++)
			*(d < DROP_FIRST_TO_PEER ? &from : &to) += p->dropped[d];
		if (from != p->received || to != p->host->received)
			lab_violation(net->whole, "%s: frames of its simulator are not conserved",
					name_of(p));
	}
}
