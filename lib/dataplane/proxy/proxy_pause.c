/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Senders that understand nothing but pauses: their link is paused by PFC for some time. Flow
 * control of the port renews the frames while a worker asks for the pause, and ends it with a frame
 * when none does any more.
 */

#include "proxy.h"

void
fcn_proxy_pause(struct fcn_worker *w, uint16_t port, unsigned int class, uint64_t until_ns)
{
	struct fcn_proxy_state *s = &w->proxy;
	uint64_t *until = &s->pause_until[port][class];
	const bool paused = *until != 0;

	if (until_ns <= *until || until_ns <= w->now)
		return;
	*until = until_ns;
	s->pause_next_ns = RTE_MIN(s->pause_next_ns, until_ns);
	if (!paused)
		fcn_pause_publish(w, port, class, true);
}

static void
end(struct fcn_worker *w, uint16_t port, unsigned int class)
{
	w->proxy.pause_until[port][class] = 0;
	fcn_pause_publish(w, port, class, w->ingress[port][class].xoff);
}

void
fcn_proxy_pause_end(struct fcn_worker *w)
{
	struct fcn_proxy_state *s = &w->proxy;

	s->pause_next_ns = UINT64_MAX;
	for (unsigned int p = 0; p < w->n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const uint64_t until = s->pause_until[p][c];

			if (until != 0 && until <= w->now)
				end(w, p, c);
			else if (until != 0)
				s->pause_next_ns = RTE_MIN(s->pause_next_ns, until);
		}
	}
}

void
fcn_proxy_forget_port(struct fcn_worker *w, uint16_t port)
{
	memset(w->proxy.pause_until[port], 0, sizeof(w->proxy.pause_until[port]));
	w->proxy.event_ns[port] = 0;
}

/* Forget what messages have said, as the proxy is off now. */
static void
forget(struct fcn_worker *w)
{
	struct fcn_proxy_state *s = &w->proxy;

	fcn_proxy_discard(w);
	fcn_proxy_flows_clear(&s->flows);
	fcn_proxy_mark_none(w);
}

void
fcn_proxy_reconfigure(struct fcn_worker *w)
{
	const struct fcn_snapshot *snap = w->snap;

	fcn_source_limit_reconfigure(&w->proxy.limit, &snap->proxy.limits, w->now);
	for (unsigned int p = 0; p < w->n_ports && w->proxy.pause_next_ns != UINT64_MAX; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (w->proxy.pause_until[p][c] != 0 &&
					(!snap->proxy.receive ||
							!(snap->port[p].pause.tx_classes >> c & 1)))
				end(w, p, c);
		}
	}
	if (w->proxy.pause_next_ns != UINT64_MAX)
		fcn_proxy_pause_end(w); /* sets pause_next_ns, as some have ended */
	if (w->proxy.on && !snap->proxy.receive)
		forget(w);
	else if (!w->proxy.on && snap->proxy.receive)
		/* Workers whose proxy was turned off later than that of this one may have sent it
		 * messages since. */
		fcn_proxy_discard(w);
	w->proxy.on = snap->proxy.receive;
}
