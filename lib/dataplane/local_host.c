/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Local behaviours that punt a packet to the host functions. */

#include "fcn_local.h"
#include "fcn_stages.h"

/* Punt packet i to the host functions, or drop it if they do not get it. */
static enum fcn_local_result
punt_or_drop(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_punt_reason reason)
{
	switch (fcn_punt(w, b, i, reason)) {
	case FCN_PUNTED:
		break;
	case FCN_PUNT_UNWANTED:
		fcn_drop(w, b, i, b->pkt[i].unwanted);
		break;
	case FCN_PUNT_OVER_RATE:
	case FCN_PUNT_OVER_BACKLOG:
		fcn_drop(w, b, i, FCN_DROP_PUNT_LIMITED);
		break;
	}
	return FCN_LOCAL_CONSUMED;
}

enum fcn_local_result
fcn_local_host(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return punt_or_drop(w, b, i, FCN_PUNT_LOCAL);
}

enum fcn_local_result
fcn_local_link(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return punt_or_drop(w, b, i, FCN_PUNT_LINK);
}

enum fcn_local_result
fcn_local_arp(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return punt_or_drop(w, b, i, FCN_PUNT_ARP);
}

enum fcn_local_result
fcn_local_control(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return punt_or_drop(w, b, i, FCN_PUNT_CONTROL);
}
