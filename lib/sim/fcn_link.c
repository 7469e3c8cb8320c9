/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_common.h>

#include "fcn_link.h"
#include "fcn_names.h"
#include "fcn_parse.h"

#define BILLION 1000000000u

/* A frame in flight. */
struct flight {
	uint64_t arrival;
	struct rte_mbuf *frame;
};

/* One direction of the link: what belongs to the sending end, and what to the receiving one. */
struct direction {
	struct fcn_link *link;
	struct fcn_serializer serializer;
	uint64_t delay_ns;
	struct fcn_link_faults faults;
	bool faulty;
	struct fcn_random random;
	struct fcn_link_counters counters; /* but those of the receiving end */
	/* frames that were sent to another simulation, and not handed over yet */
	struct flight *sent;
	uint32_t sent_room, n_sent;
	/* a ring of frames in the order of arrival; room is a power of two */
	struct flight *flight __rte_cache_aligned;
	uint32_t room, first, n;
	struct fcn_sim *to;
	struct fcn_sim_event arrival;
	void (*deliver)(void *arg, struct rte_mbuf *frame, uint64_t now);
	void *arg;
	uint64_t delivered, late;
};

struct fcn_link {
	bool divided;            /* the ends are in two simulations */
	struct direction dir[2]; /* indexed by the sending end */
	uint32_t max_frame;
	bool up;
	struct rte_mempool *pool;
	bool (*is_other_notice)(void *arg, const struct rte_mbuf *frame); /* may be NULL */
	void *is_other_notice_arg;
	void (*observe)(void *arg, unsigned int from, const struct rte_mbuf *frame,
			enum fcn_link_fate fate, uint64_t departed);
	void *observe_arg;
};

FCN_NAME_FUNCTION(fcn_link_fate_name, enum fcn_link_fate, FCN_LINK_FATES(FCN_ITEM_WORD))

/* ---- frames in flight ---- */

static inline struct flight *
flight_at(const struct direction *d, uint32_t i)
{
	return &d->flight[(d->first + i) & (d->room - 1)];
}

static int
grow(struct direction *d)
{
	uint32_t room = d->room == 0 ? 64 : 2 * d->room;
	struct flight *flight = malloc(room * sizeof(flight[0]));

	if (flight == NULL)
		return -1;
	for (uint32_t i = 0; i < d->n; i++)
		flight[i] = *flight_at(d, i);
	free(d->flight);
	d->flight = flight;
	d->room = room;
	d->first = 0;
	return 0;
}

/*
 * Put a frame in flight, behind all frames that do not arrive later.
 *
 * @return false when memory is exhausted; the frame is then freed
 */
static bool
put_in_flight(struct direction *d, struct rte_mbuf *frame, uint64_t arrival)
{
	uint32_t i = d->n;

	if (unlikely(d->n == d->room) && grow(d) != 0) {
		rte_pktmbuf_free(frame);
		return false;
	}
	d->n++;
	for (; i > 0 && flight_at(d, i - 1)->arrival > arrival; i--)
		*flight_at(d, i) = *flight_at(d, i - 1);
	*flight_at(d, i) = (struct flight){arrival, frame};
	if (i == 0)
		fcn_sim_schedule(d->to, &d->arrival, arrival);
	return true;
}

/* Keep a frame to another simulation until it is handed over. @return as put_in_flight() */
static bool
keep(struct direction *d, struct rte_mbuf *frame, uint64_t arrival)
{
	if (unlikely(d->n_sent == d->sent_room)) {
		uint32_t room = d->sent_room == 0 ? 64 : 2 * d->sent_room;
		struct flight *sent = realloc(d->sent, room * sizeof(sent[0]));

		if (sent == NULL) {
			rte_pktmbuf_free(frame);
			return false;
		}
		d->sent = sent;
		d->sent_room = room;
	}
	d->sent[d->n_sent++] = (struct flight){arrival, frame};
	return true;
}

static inline bool
put_on_way(struct direction *d, struct rte_mbuf *frame, uint64_t arrival)
{
	return unlikely(d->link->divided) ? keep(d, frame, arrival)
					  : put_in_flight(d, frame, arrival);
}

/* Hand over what was sent. Without memory the frame is lost, as if the link had been cut. */
static void
hand_over(struct direction *d)
{
	const uint64_t now = fcn_sim_now(d->to);

	for (uint32_t i = 0; i < d->n_sent; i++) {
		d->late += d->sent[i].arrival < now;
		if (!put_in_flight(d, d->sent[i].frame, d->sent[i].arrival))
			d->counters.cut_off++;
	}
	d->n_sent = 0;
}

/* Deliver all frames that have arrived by now. */
static void
arrive(void *arg, uint64_t now)
{
	struct direction *d = arg;

	while (d->n > 0 && flight_at(d, 0)->arrival <= now) {
		struct rte_mbuf *frame = flight_at(d, 0)->frame;

		d->first = (d->first + 1) & (d->room - 1);
		d->n--;
		d->delivered++;
		d->deliver(d->arg, frame, now);
	}
	if (d->n > 0)
		fcn_sim_schedule(d->to, &d->arrival, flight_at(d, 0)->arrival);
}

static void
cut_off(struct direction *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		rte_pktmbuf_free(flight_at(d, i)->frame);
	for (uint32_t i = 0; i < d->n_sent; i++)
		rte_pktmbuf_free(d->sent[i].frame);
	d->counters.cut_off += d->n + d->n_sent;
	d->n = 0;
	d->n_sent = 0;
	fcn_sim_schedule(d->to, &d->arrival, FCN_SIM_NEVER);
}

/* ---- faults ---- */

static inline bool
happens(struct direction *d, uint32_t billionths)
{
	return billionths != 0 && fcn_random64(&d->random) % BILLION < billionths;
}

/* Check whether a frame is a CNP or Fast CNP, judged by its first octets. */
static bool
is_cnp(const struct rte_mbuf *frame)
{
	const struct fcn_parse_codes codes = {0};
	struct fcn_wire_info info;

	return fcn_parse(rte_pktmbuf_mtod(frame, const uint8_t *), frame->data_len, frame->pkt_len,
			       &codes, &info) == FCN_WIRE_OK &&
	       info.opcode == FCN_BTH_OPCODE_CNP && (info.flags & FCN_PKT_ROCE_PORT) != 0;
}

static bool
is_notice(const struct fcn_link *link, const struct rte_mbuf *frame)
{
	return is_cnp(frame) ||
	       (link->is_other_notice != NULL &&
			       link->is_other_notice(link->is_other_notice_arg, frame));
}

/* Check whether the frame shares no data with other mbufs. */
static inline bool
owns_octets(const struct rte_mbuf *frame)
{
	for (const struct rte_mbuf *seg = frame; seg != NULL; seg = seg->next) {
		if (!RTE_MBUF_DIRECT(seg) || rte_mbuf_refcnt_read(seg) > 1)
			return false;
	}
	return true;
}

/*
 * Replace a frame by one that shares no data with other mbufs.
 *
 * @return NULL when there is no buffer
 */
static struct rte_mbuf *
copy_of(const struct fcn_link *link, struct rte_mbuf *frame)
{
	struct rte_mbuf *own = rte_pktmbuf_copy(frame, link->pool, 0, UINT32_MAX);

	rte_pktmbuf_free(frame);
	return own;
}

/*
 * A frame of another pool, as a switch has for its notices, is copied, so that its buffer is free
 * when its last bit has left, not when it has arrived. Without a buffer for the copy it takes its
 * own along.
 */
static struct rte_mbuf *
out_of_pool(const struct fcn_link *link, struct rte_mbuf *frame)
{
	struct rte_mbuf *own = rte_pktmbuf_copy(frame, link->pool, 0, UINT32_MAX);

	if (own == NULL)
		return frame;
	rte_pktmbuf_free(frame);
	return own;
}

static void
invert_bit(struct direction *d, struct rte_mbuf *frame)
{
	uint32_t at = fcn_random64(&d->random) % frame->pkt_len;
	uint8_t bit = 1u << (fcn_random64(&d->random) % 8);
	struct rte_mbuf *seg = frame;

	for (; at >= seg->data_len; seg = seg->next)
		at -= seg->data_len;
	*rte_pktmbuf_mtod_offset(seg, uint8_t *, at) ^= bit;
}

static enum fcn_link_fate
fate_of(struct direction *d, const struct rte_mbuf *frame)
{
	const struct fcn_link *link = d->link;

	if (unlikely(!link->up))
		return FCN_LINK_DOWN;
	if (unlikely(link->max_frame != 0 && frame->pkt_len > link->max_frame))
		return FCN_LINK_TOO_LONG;
	if (likely(!d->faulty))
		return FCN_LINK_SENT;
	if (d->faults.notice_loss != 0 && is_notice(link, frame) &&
			happens(d, d->faults.notice_loss))
		return FCN_LINK_NOTICE_LOST;
	if (happens(d, d->faults.loss))
		return FCN_LINK_LOST;
	if (happens(d, d->faults.corrupt))
		return FCN_LINK_CORRUPTED;
	if (happens(d, d->faults.duplicate))
		return FCN_LINK_DUPLICATED;
	if (happens(d, d->faults.reorder))
		return FCN_LINK_REORDERED;
	return FCN_LINK_SENT;
}

/* ---- the link ---- */

static int
direction_init(struct fcn_link *link, unsigned int end, const struct fcn_link_conf *conf)
{
	struct direction *d = &link->dir[end];

	d->link = link;
	d->serializer.bps = conf->rate_bps;
	d->delay_ns = conf->delay_ns + conf->extra_ns[end];
	d->random.state = conf->seed * 2 + end;
	d->to = conf->sim[!end];
	return fcn_sim_event_init(d->to, &d->arrival, FCN_SIM_ARRIVAL, arrive, d);
}

struct fcn_link *
fcn_link_create(const struct fcn_link_conf *conf)
{
	struct fcn_link *link = conf->rate_bps != 0
						? aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*link))
						: NULL;

	if (link == NULL)
		return NULL;
	*link = (struct fcn_link){.divided = conf->sim[0] != conf->sim[1]};
	link->max_frame = conf->max_frame;
	link->is_other_notice = conf->is_notice;
	link->is_other_notice_arg = conf->is_notice_arg;
	link->pool = conf->pool;
	link->up = true;
	for (unsigned int end = 0; end < 2; end++) {
		if (direction_init(link, end, conf) != 0) {
			fcn_link_free(link);
			return NULL;
		}
	}
	return link;
}

void
fcn_link_free(struct fcn_link *link)
{
	if (link == NULL)
		return;
	for (unsigned int end = 0; end < 2; end++) {
		struct direction *d = &link->dir[end];

		if (d->link == NULL)
			continue;
		cut_off(d);
		fcn_sim_event_fini(d->to, &d->arrival);
		free(d->flight);
		free(d->sent);
	}
	free(link);
}

void
fcn_link_attach(struct fcn_link *link, unsigned int end,
		void (*deliver)(void *arg, struct rte_mbuf *frame, uint64_t now), void *arg)
{
	struct direction *d = &link->dir[!end];

	d->deliver = deliver;
	d->arg = arg;
}

void
fcn_link_observe(struct fcn_link *link,
		void (*observe)(void *arg, unsigned int from, const struct rte_mbuf *frame,
				enum fcn_link_fate fate, uint64_t departed),
		void *arg)
{
	link->observe = observe;
	link->observe_arg = arg;
}

const struct fcn_serializer *
fcn_link_serializer(const struct fcn_link *link, unsigned int end)
{
	return &link->dir[end].serializer;
}

uint64_t
fcn_link_ready(const struct fcn_link *link, unsigned int end)
{
	return fcn_serializer_ready(&link->dir[end].serializer);
}

/* Send a duplicate directly behind the frame. */
static void
duplicate(struct direction *d, const struct rte_mbuf *frame, uint64_t arrival)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(frame, d->link->pool, 0, UINT32_MAX);

	if (copy != NULL && put_on_way(d, copy, arrival))
		d->counters.copies++;
	else
		d->counters.no_mbuf++;
}

static inline bool
is_lost(enum fcn_link_fate fate)
{
	return fate == FCN_LINK_LOST || fate == FCN_LINK_NOTICE_LOST || fate == FCN_LINK_DOWN ||
	       fate == FCN_LINK_TOO_LONG;
}

uint64_t
fcn_link_send(struct fcn_link *link, unsigned int end, struct rte_mbuf *frame, uint64_t now)
{
	struct direction *d = &link->dir[end];
	uint32_t len = frame->pkt_len;
	uint64_t departed = fcn_serializer_send(&d->serializer, len, now);
	uint64_t arrival = departed + d->delay_ns;
	enum fcn_link_fate fate = fate_of(d, frame);

	d->counters.bytes += len;
	if (link->observe != NULL)
		link->observe(link->observe_arg, end, frame, fate, departed);
	if (unlikely(is_lost(fate))) {
		rte_pktmbuf_free(frame);
	} else if (unlikely(!owns_octets(frame)) && (frame = copy_of(link, frame)) == NULL) {
		fate = FCN_LINK_NO_MBUF;
	} else {
		if (unlikely(frame->pool != link->pool))
			frame = out_of_pool(link, frame);
		if (unlikely(fate == FCN_LINK_CORRUPTED))
			invert_bit(d, frame);
		else if (unlikely(fate == FCN_LINK_DUPLICATED))
			duplicate(d, frame, arrival);
		else if (unlikely(fate == FCN_LINK_REORDERED))
			arrival += d->faults.reorder_ns;
		if (unlikely(!put_on_way(d, frame, arrival)))
			fate = FCN_LINK_NO_MBUF;
	}
	d->counters.packets[fate]++;
	return departed;
}

void
fcn_link_exchange(struct fcn_link *link)
{
	for (unsigned int end = 0; end < 2; end++) {
		if (link->dir[end].n_sent != 0)
			hand_over(&link->dir[end]);
	}
}

uint64_t
fcn_link_last_arrival(const struct fcn_link *link, unsigned int end)
{
	const struct direction *d = &link->dir[end];
	uint64_t last = d->n != 0 ? flight_at(d, d->n - 1)->arrival : 0;

	for (uint32_t i = 0; i < d->n_sent; i++)
		last = RTE_MAX(last, d->sent[i].arrival);
	return last;
}

void
fcn_link_set_up(struct fcn_link *link, bool up)
{
	if (link->up && !up) {
		cut_off(&link->dir[0]);
		cut_off(&link->dir[1]);
	}
	link->up = up;
}

bool
fcn_link_is_up(const struct fcn_link *link)
{
	return link->up;
}

void
fcn_link_set_faults(struct fcn_link *link, unsigned int end, const struct fcn_link_faults *faults)
{
	struct direction *d = &link->dir[end];

	d->faults = *faults;
	d->faulty = (faults->loss | faults->duplicate | faults->corrupt | faults->reorder |
				    faults->notice_loss) != 0;
}

void
fcn_link_get_faults(const struct fcn_link *link, unsigned int end, struct fcn_link_faults *faults)
{
	*faults = link->dir[end].faults;
}

uint64_t
fcn_link_rate(const struct fcn_link *link)
{
	return link->dir[0].serializer.bps;
}

void
fcn_link_set_rate(struct fcn_link *link, uint64_t bps)
{
	for (unsigned int end = 0; end < 2; end++)
		fcn_serializer_speed(&link->dir[end].serializer, bps);
}

uint64_t
fcn_link_in_flight(const struct fcn_link *link, unsigned int end)
{
	return link->dir[end].n + link->dir[end].n_sent;
}

void
fcn_link_counters(const struct fcn_link *link, unsigned int end, struct fcn_link_counters *counters)
{
	*counters = link->dir[end].counters;
	counters->delivered = link->dir[end].delivered;
	counters->late = link->dir[end].late;
}
