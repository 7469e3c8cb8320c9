/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_errno.h>

#include "endpoint_state.h"
#include "fcn_inet.h"

#define MAX_QPS 65536
#define MAX_IOAM_WORDS 61 /* 2 + 8 + 4 * 61 is the longest option */
#define DSCP_MAX 63

void
fcn_endpoint_defaults(struct fcn_endpoint_conf *conf, uint64_t line_bps)
{
	*conf = (struct fcn_endpoint_conf){
			.line_bps = line_bps,
			.max_qps = 64,
			.payload = 1024,
			.hop_limit = 64,
			.seed = 1,
			.operation = FCN_OPERATION_SEND,
			.window = FCN_WINDOW_NONE,
			.timeout_ns = 1000000,
			.ack_every = 16,
			.ack_dscp = -1,
			.cnp = true,
			.cnp_scope = FCN_CNP_PER_QP,
			.cnp_interval_ns = 4000,
			.cnp_delay_ns = 0,
			.cnp_dscp = 48,
			.fastcnp = FCN_FASTCNP_REFUSE,
			.opt1_type = fcn_parse_default_codes.fastcnp_opt1,
			.opt2_type = fcn_parse_default_codes.fastcnp_opt2,
			.trimmed_type = fcn_parse_default_codes.trimmed,
			.icrc_mode = FCN_ICRC_SKIP,
			.detour_hold_ns = 1000000,
			.ioam_type = 0xB62000,
			.ioam_hops = 8,
			.echo_type = 0x1F,
	};
	fcn_reaction_defaults(&conf->reaction, line_bps);
}

static bool
ioam_ok(const struct fcn_endpoint_conf *conf)
{
	uint8_t node_len = fcn_ioam_node_len(conf->ioam_type);

	return !conf->ioam || (node_len != 0 && (conf->ioam_type & FCN_IOAM_TYPE_OPAQUE) == 0 &&
					      conf->ioam_type <= 0xFFFFFF && conf->ioam_hops > 0 &&
					      node_len * conf->ioam_hops <= MAX_IOAM_WORDS);
}

static bool
conf_ok(const struct fcn_endpoint_conf *conf)
{
	return fcn_ip6_is_station(conf->addr) && fcn_mac_is_station(&conf->mac) &&
	       conf->line_bps > 0 && conf->max_qps > 0 && conf->max_qps <= MAX_QPS &&
	       conf->payload >= 256 && conf->payload <= 4096 &&
	       (conf->payload & (conf->payload - 1)) == 0 && conf->hop_limit > 0 &&
	       (conf->operation == FCN_OPERATION_SEND || conf->operation == FCN_OPERATION_WRITE) &&
	       conf->window > 0 && conf->ack_dscp >= -1 && conf->ack_dscp <= DSCP_MAX &&
	       conf->cnp_dscp <= DSCP_MAX && conf->cnp_scope <= FCN_CNP_PER_PORT &&
	       conf->fastcnp <= FCN_FASTCNP_IGNORE &&
	       conf->trim_reaction <= FCN_TRIM_REACTION_CNP && conf->icrc_mode <= FCN_ICRC_NORM &&
	       conf->n_access <= FCN_ENDPOINT_MAX_SWITCHES &&
	       conf->reaction.kind < FCN_REACTION_COUNT && ioam_ok(conf);
}

static int
access_create(struct fcn_endpoint *ep)
{
	struct fcn_prefix_value items[FCN_ENDPOINT_MAX_SWITCHES];

	for (unsigned int i = 0; i < ep->conf.n_access; i++)
		items[i] = (struct fcn_prefix_value){.prefix = ep->conf.access[i], .value = 1};
	ep->access = fcn_prefix_list_create(
			"endpoint_access", items, ep->conf.n_access, SOCKET_ID_ANY);
	return ep->access == NULL ? -rte_errno : 0;
}

static int
endpoint_fill(struct fcn_endpoint *ep)
{
	const uint32_t n = ep->conf.max_qps;
	int ret;

	ep->codes = (struct fcn_parse_codes){
			.fastcnp_opt1 = ep->conf.opt1_type,
			.fastcnp_opt2 = ep->conf.opt2_type,
			.proxy_addr = fcn_parse_default_codes.proxy_addr,
			.trimmed = ep->conf.trimmed_type,
	};
	ep->random.state = ep->conf.seed;
	ep->slot_mask = rte_align32pow2(n) - 1;
	ep->qp = calloc(n, sizeof(*ep->qp));
	ep->free_number = calloc(n, sizeof(*ep->free_number));
	ep->data_place = malloc(n * sizeof(*ep->data_place));
	ep->timer_place = malloc(n * sizeof(*ep->timer_place));
	ep->cnp = calloc(ENDPOINT_CNPS, sizeof(*ep->cnp));
	ep->nak = ep->conf.trim ? calloc(ENDPOINT_NAKS, sizeof(*ep->nak)) : NULL;
	ep->error = calloc(ENDPOINT_ERRORS, sizeof(*ep->error));
	if (ep->qp == NULL || ep->free_number == NULL || ep->data_place == NULL ||
			ep->timer_place == NULL || ep->cnp == NULL || ep->error == NULL ||
			(ep->conf.trim && ep->nak == NULL) ||
			endpoint_hash_init(&ep->by_peer, n, ENDPOINT_PEER_KEY_LEN) != 0 ||
			endpoint_hash_init(&ep->peers, n, sizeof(ep->conf.addr)) != 0 ||
			fcn_crc32_init(&ep->crc) != 0)
		return -ENOMEM;
	ep->crc_ready = true;
	for (uint32_t i = 0; i < n; i++) {
		ep->free_number[i] = i + FCN_ENDPOINT_FIRST_QP;
		ep->data_place[i] = ENDPOINT_HEAP_NONE;
		ep->timer_place[i] = ENDPOINT_HEAP_NONE;
	}
	ret = endpoint_heap_reserve(&ep->timers, 1);
	if (ret != 0)
		return ret;
	endpoint_icrc_table_make(ep);
	return access_create(ep);
}

struct fcn_endpoint *
fcn_endpoint_create(const struct fcn_endpoint_conf *conf)
{
	struct fcn_endpoint *ep;
	int ret;

	if (!conf_ok(conf)) {
		rte_errno = EINVAL;
		return NULL;
	}
	ep = calloc(1, sizeof(*ep));
	if (ep == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	ep->conf = *conf;
	ret = endpoint_fill(ep);
	if (ret != 0) {
		fcn_endpoint_free(ep);
		rte_errno = -ret;
		return NULL;
	}
	return ep;
}

void
fcn_endpoint_free(struct fcn_endpoint *ep)
{
	if (ep == NULL)
		return;
	endpoint_qps_free(ep);
	for (unsigned int c = 0; c < ENDPOINT_CLASSES; c++)
		endpoint_heap_fini(&ep->data[c]);
	endpoint_heap_fini(&ep->timers);
	endpoint_hash_fini(&ep->by_peer);
	endpoint_hash_fini(&ep->peers);
	fcn_prefix_list_free(ep->access);
	if (ep->crc_ready)
		fcn_crc32_fini(&ep->crc);
	free(ep->qp);
	free(ep->free_number);
	free(ep->data_place);
	free(ep->timer_place);
	free(ep->cnp);
	free(ep->nak);
	free(ep->error);
	free(ep);
}

void
fcn_endpoint_line(struct fcn_endpoint *ep, uint64_t line_bps, uint64_t now)
{
	ep->conf.line_bps = line_bps;
	for (uint32_t i = 0; i < ep->conf.max_qps; i++) {
		struct endpoint_qp *qp = ep->qp[i];

		if (qp == NULL || !qp->connected)
			continue;
		fcn_reaction_line(&qp->reaction, line_bps, now);
		endpoint_sender_reacted(ep, qp, now);
	}
}

void
fcn_endpoint_counters(
		const struct fcn_endpoint *ep, struct fcn_endpoint_counters *counters, uint64_t now)
{
	*counters = ep->n;
	for (unsigned int c = 0; c < ENDPOINT_CLASSES; c++) {
		if (ep->paused & 1u << c)
			counters->paused_ns[c] += RTE_MIN(now, ep->pause_until[c]) -
						  ep->pause_since[c];
	}
}
