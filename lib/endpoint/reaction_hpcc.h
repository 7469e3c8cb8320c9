/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Parameters and state of HPCC++. */

#ifndef REACTION_HPCC_H
#define REACTION_HPCC_H

#include "reaction_hops.h"

struct REACTION_PART hpcc_conf {
	uint64_t base_rtt_ns;  /* base round-trip time T */
	uint32_t eta_permille; /* target utilisation eta, usually 950 */
	uint32_t max_stage;    /* maximum number of consecutive additive increases, usually 0 */
	uint64_t wai_bytes;    /* additive increase of the window; 0: W0 * (1 - eta) / flows */
	uint32_t flows;        /* expected number of flows, for the default of wai_bytes */
	uint64_t min_rate_bps;
	/* Link speed of hops whose trace does not contain it; 0: the line rate. */
	uint64_t fallback_bps;
	uint64_t min_window; /* minimum window in bytes, usually one packet; 0: 1024 */
};

/* Data from a notice. It is valid until acknowledgements provide data that is as new. */
struct hpcc_early {
	struct reaction_hop hop[REACTION_HOPS];
	struct reaction_hop cause; /* the hop that caused the limit; known: there is a limit */
	double window;             /* limit, bytes */
	double utilisation;
};

struct REACTION_PART hpcc {
	struct reaction_hop hop[REACTION_HOPS]; /* data of the last acknowledgement */
	unsigned int n_hops;                    /* number of hops of the last trace */
	double utilisation;
	double window, window_full; /* W and Wc, in bytes on the wire */
	uint32_t stage;
	struct hpcc_early by_notice;
	uint64_t full_updates, early; /* updates by acknowledgements, cuts by notices */
	/* Traces without some hops: the Overflow flag was set, or more than REACTION_HOPS. */
	uint64_t partial;
	uint64_t malformed; /* traces that could not be read */
};

REACTION_CONF(HPCC, hpcc)
REACTION_STATE(hpcc)

#endif /* REACTION_HPCC_H */
