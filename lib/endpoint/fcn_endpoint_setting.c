/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "endpoint_setting_private.h"

#define MAX_HOPS 16

/* ---- settings that are a value, or on or off ---- */

struct setting {
	const char *word;
	size_t offset, size;
	uint64_t unit, least, most;
};

#define SIZE_OF(field) sizeof(((struct fcn_endpoint_conf *)NULL)->field)
#define SETTING(word, type, field, unit, least, most, help) \
	{word, offsetof(struct fcn_endpoint_conf, field), SIZE_OF(field), unit, least, most},

static const struct setting values[] = {FCN_ENDPOINT_VALUES(SETTING)};

#define STATE(word, field, help) {word, offsetof(struct fcn_endpoint_conf, field), 1, 1, 0, 1},

static const struct setting states[] = {FCN_ENDPOINT_STATES(STATE)};

/* Find the row of a command; NULL when there is none. */
static const struct setting *
find_setting(const struct setting *rows, size_t n, const struct fcn_args *args)
{
	for (size_t i = 0; i < n; i++)
		if (fcn_args_has(args, rows[i].word))
			return &rows[i];
	return NULL;
}

static int
set_value(const struct setting *s, const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t value = fcn_args_u64(args, "value", 0);

	if (value < s->least || value > s->most)
		return fcn_command_error(args, -ERANGE, "value", "%s is %" PRIu64 " to %" PRIu64,
				s->word, s->least, s->most);
	fcn_command_store(conf, s->offset, s->size, value / s->unit);
	return 0;
}

/* ---- settings of a form of their own ---- */

static int
set_payload(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->payload = (uint16_t)atoi(fcn_args_str(args, "bytes"));
	return 0;
}

enum fcn_operation
fcn_endpoint_operation(const char *name)
{
	return strcmp(name, "write") == 0 ? FCN_OPERATION_WRITE : FCN_OPERATION_SEND;
}

static int
set_operation(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->operation = fcn_endpoint_operation(fcn_args_str(args, "operation"));
	return 0;
}

static int
set_window(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->window = fcn_args_u64(args, "bytes", FCN_WINDOW_NONE);
	if (conf->window == 0)
		return fcn_command_error(
				args, -ERANGE, "bytes", "a window is at least 1 byte, or none");
	return 0;
}

static int
set_ack_dscp(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t dscp = fcn_args_u64(args, "dscp", 0);

	if (dscp > 63)
		return fcn_command_error(args, -ERANGE, "dscp", "a DSCP must be 0 to 63");
	conf->ack_dscp = fcn_args_has(args, "dscp") ? (int)dscp : -1;
	return 0;
}

static int
set_scope(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	const char *scope = fcn_args_str(args, "scope");

	if (strcmp(scope, "qp") == 0)
		conf->cnp_scope = FCN_CNP_PER_QP;
	else if (strcmp(scope, "pair") == 0)
		conf->cnp_scope = FCN_CNP_PER_IP_PAIR;
	else
		conf->cnp_scope = FCN_CNP_PER_PORT;
	return 0;
}

static int
set_icrc(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	const char *mode = fcn_args_str(args, "mode");

	if (strcmp(mode, "skip") == 0)
		conf->icrc_mode = FCN_ICRC_SKIP;
	else
		conf->icrc_mode = strcmp(mode, "cover") == 0 ? FCN_ICRC_COVER : FCN_ICRC_NORM;
	return 0;
}

/* Accept Fast CNPs from any switch, or from one more prefix: each command adds a prefix. */
static int
accept_from(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	static const struct fcn_prefix any = {.addr = {.version = 6}};
	const struct fcn_prefix *from = fcn_args_prefix(args, "from");

	conf->fastcnp = FCN_FASTCNP_ACCEPT;
	if (from == NULL) {
		conf->access[0] = any;
		conf->n_access = 1;
		return 0;
	}
	if (from->addr.version != 6)
		return fcn_command_error(
				args, -EINVAL, "from", "Fast CNPs come from IPv6 addresses");
	if (conf->n_access == FCN_ENDPOINT_MAX_SWITCHES)
		return fcn_command_error(args, -ENOSPC, "from", "there can be at most %u prefixes",
				FCN_ENDPOINT_MAX_SWITCHES);
	conf->access[conf->n_access] = *from;
	fcn_prefix_normalise(&conf->access[conf->n_access++]);
	return 0;
}

static int
set_fast_cnp(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	if (fcn_args_has(args, "accept"))
		return accept_from(args, conf);
	conf->fastcnp = strcmp(fcn_args_str(args, "how"), "refuse") == 0 ? FCN_FASTCNP_REFUSE
									 : FCN_FASTCNP_IGNORE;
	conf->n_access = 0;
	return 0;
}

static int
set_detour(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t after = fcn_args_u64(args, "after", 0);

	if (fcn_args_has(args, "after") && (after == 0 || after > UINT32_MAX))
		return fcn_command_error(args, -ERANGE, "after",
				"the number of Fast CNPs must be 1 to 4294967295");
	conf->detour_after = (uint32_t)after;
	conf->detour_hold_ns = fcn_args_u64(args, "hold", conf->detour_hold_ns);
	return 0;
}

static int
set_ioam(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t hops = fcn_args_u64(args, "hops", conf->ioam_hops);
	uint64_t ns = fcn_args_u64(args, "namespace", conf->ioam_namespace);
	uint64_t type = fcn_args_u64(args, "type", conf->ioam_type);

	if (hops == 0 || hops > MAX_HOPS)
		return fcn_command_error(args, -ERANGE, "hops",
				"the number of nodes must be 1 to %u", MAX_HOPS);
	if (ns > UINT16_MAX)
		return fcn_command_error(
				args, -ERANGE, "namespace", "a namespace must be 0 to 65535");
	if (type > 0xffffff)
		return fcn_command_error(
				args, -ERANGE, "type", "a trace type has 24 bits, as 0xb62000");
	conf->ioam = !fcn_args_has(args, "off");
	conf->ioam_hops = (uint8_t)hops;
	conf->ioam_namespace = (uint16_t)ns;
	conf->ioam_type = (uint32_t)type;
	return 0;
}

static int
set_trim_reaction(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->trim_reaction = strcmp(fcn_args_str(args, "how"), "cnp") == 0
					      ? FCN_TRIM_REACTION_CNP
					      : FCN_TRIM_REACTION_NONE;
	return 0;
}

static int
set_base_rtt(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t rtt = fcn_args_u64(args, "time", 0);

	if (rtt == 0 || rtt > FCN_ENDPOINT_MAX_NS)
		return fcn_command_error(args, -ERANGE, "time", "a time must be 1ns to 1000s");
	for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++)
		fcn_reaction_set(&conf->reaction, (enum fcn_reaction_kind)kind, "base-rtt", rtt);
	return 0;
}

static const struct {
	const char *word;
	int (*set)(const struct fcn_args *args, struct fcn_endpoint_conf *conf);
} forms[] = {
		{"payload", set_payload},
		{"operation", set_operation},
		{"window", set_window},
		{"ack-dscp", set_ack_dscp},
		{"cnp-scope", set_scope},
		{"fast-cnp", set_fast_cnp},
		{"detour", set_detour},
		{"ioam", set_ioam},
		{"icrc", set_icrc},
		{"trim-reaction", set_trim_reaction},
		{"base-rtt", set_base_rtt},
};

int
fcn_endpoint_set(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	const struct setting *s;

	if (fcn_args_data(args) != NULL)
		return endpoint_setting_reaction(args, conf);
	for (size_t i = 0; i < RTE_DIM(forms); i++)
		if (fcn_args_has(args, forms[i].word))
			return forms[i].set(args, conf);
	s = find_setting(values, RTE_DIM(values), args);
	if (s != NULL)
		return set_value(s, args, conf);
	s = find_setting(states, RTE_DIM(states), args);
	if (s == NULL)
		return -EINVAL;
	fcn_command_store(conf, s->offset, s->size, strcmp(fcn_args_str(args, "state"), "on") == 0);
	return 0;
}
