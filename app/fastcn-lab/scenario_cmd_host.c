/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "host_setting.h"
#include "scenario_private.h"

#define MAX_NS UINT64_C(1000000000000)
#define MAX_BYTES UINT64_C(1000000000000)
#define MAX_BPS UINT64_C(10000000000000)
#define MAX_HOPS 16

static int
add_host(struct lab_reader *r, const struct fcn_args *args, const char *name)
{
	const char *mistake = lab_name_mistake(name);
	struct lab_node known;
	struct lab_host *host;

	if (mistake != NULL)
		return fcn_command_error(args, -EINVAL, "hosts", "%s %s", name, mistake);
	if (lab_node_find(r->sc, name, &known))
		return fcn_command_error(args, -EEXIST, "hosts", "there is a %s %s already",
				known.kind == LAB_HOST ? "host" : "switch", name);
	if (r->sc->n_hosts == LAB_MAX_HOSTS)
		return fcn_command_error(
				args, -ENOSPC, "hosts", "more than %u hosts", LAB_MAX_HOSTS);
	host = lab_push(&r->sc->host, &r->sc->n_hosts, sizeof(*host));
	if (host == NULL)
		return -ENOMEM;
	snprintf(host->name, sizeof(host->name), "%s", name);
	host->place = r->place;
	return 0;
}

static bool
has_link(const struct lab_scenario *sc, unsigned int host)
{
	for (unsigned int i = 0; i < sc->n_links; i++)
		for (unsigned int e = 0; e < 2; e++)
			if (sc->link[i].end[e].kind == LAB_HOST && sc->link[i].end[e].index == host)
				return true;
	return false;
}

/* A list of names that were added: each one has a link. */
static int
check_links(struct lab_reader *r, const struct fcn_args *args)
{
	struct lab_nodes hosts;
	int rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &hosts);

	for (unsigned int i = 0; rc == 0 && i < hosts.n; i++)
		if (!has_link(r->sc, hosts.node[i].index))
			rc = fcn_command_error(args, -EINVAL, "hosts", "host %s has no link",
					r->sc->host[hosts.node[i].index].name);
	lab_nodes_free(&hosts);
	return rc;
}

static int
host_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);
	struct lab_names names;
	int rc;

	if (r == NULL) {
		r = lab_reader_in(session, LAB_PASS_REST);
		return r == NULL || r->half_read ? 0 : check_links(r, args);
	}
	rc = lab_names_of(args, "hosts", &names);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < names.n; i++)
		rc = add_host(r, args, names.name[i]);
	lab_names_free(&names);
	return rc;
}

int
lab_hosts_change(struct fcn_session *session, const struct fcn_args *args,
		int (*one)(const struct fcn_args *args, struct fcn_endpoint_conf *conf))
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_nodes hosts;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &hosts);
	for (unsigned int i = 0; rc == 0 && i < hosts.n; i++)
		rc = one(args, &r->sc->host[hosts.node[i].index].conf);
	lab_nodes_free(&hosts);
	return rc;
}

static bool
is_on(const struct fcn_args *args)
{
	return strcmp(fcn_args_str(args, "state"), "on") == 0;
}

/* ---- parameters that are a value ---- */

struct setting {
	const char *word;
	size_t offset, size;
	uint64_t unit, least, most;
};

#define SIZE_OF(field) sizeof(((struct fcn_endpoint_conf *)NULL)->field)
#define SETTING(word, type, field, unit, least, most, help) \
	{word, offsetof(struct fcn_endpoint_conf, field), SIZE_OF(field), unit, least, most},

static const struct setting settings[] = {LAB_HOST_SETTINGS(SETTING)};

#define STATE(word, field, help) {word, offsetof(struct fcn_endpoint_conf, field), 1, 1, 0, 1},

static const struct setting states[] = {LAB_HOST_SWITCHES(STATE)};

static void
store(struct fcn_endpoint_conf *conf, const struct setting *setting, uint64_t value)
{
	char *field = (char *)conf + setting->offset;
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	if (setting->size == sizeof(u8))
		memcpy(field, &u8, sizeof(u8));
	else if (setting->size == sizeof(u16))
		memcpy(field, &u16, sizeof(u16));
	else if (setting->size == sizeof(u32))
		memcpy(field, &u32, sizeof(u32));
	else
		memcpy(field, &value, sizeof(value));
}

static int
set_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t value = fcn_args_u64(args, "value", 0);

	for (size_t i = 0; i < RTE_DIM(settings); i++) {
		const struct setting *s = &settings[i];

		if (!fcn_args_has(args, s->word))
			continue;
		if (value < s->least || value > s->most)
			return fcn_command_error(args, -ERANGE, "value",
					"%s is %" PRIu64 " to %" PRIu64, s->word, s->least,
					s->most);
		store(conf, s, value / s->unit);
	}
	return 0;
}

static int
host_set(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, set_one);
}

static int
turn_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	for (size_t i = 0; i < RTE_DIM(states); i++)
		if (fcn_args_has(args, states[i].word))
			store(conf, &states[i], is_on(args));
	return 0;
}

static int
host_turn(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, turn_one);
}

/* ---- parameters of another form ---- */

static int
payload_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->payload = (uint16_t)atoi(fcn_args_str(args, "bytes"));
	return 0;
}

static int
host_payload(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, payload_one);
}

enum fcn_operation
lab_operation(const struct fcn_args *args)
{
	return strcmp(fcn_args_str(args, "operation"), "write") == 0 ? FCN_OPERATION_WRITE
								     : FCN_OPERATION_SEND;
}

static int
operation_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->operation = lab_operation(args);
	return 0;
}

static int
host_operation(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, operation_one);
}

static int
window_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->window = fcn_args_u64(args, "bytes", FCN_WINDOW_NONE);
	if (conf->window == 0)
		return fcn_command_error(
				args, -ERANGE, "bytes", "a window is at least 1 byte, or none");
	return 0;
}

static int
host_window(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, window_one);
}

static int
ack_dscp_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t dscp = fcn_args_u64(args, "dscp", 0);

	if (dscp > 63)
		return fcn_command_error(args, -ERANGE, "dscp", "a DSCP is 0 to 63");
	conf->ack_dscp = fcn_args_has(args, "dscp") ? (int)dscp : -1;
	return 0;
}

static int
host_ack_dscp(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, ack_dscp_one);
}

static int
scope_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
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
host_scope(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, scope_one);
}

static int
icrc_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	const char *mode = fcn_args_str(args, "mode");

	if (strcmp(mode, "skip") == 0)
		conf->icrc_mode = FCN_ICRC_SKIP;
	else
		conf->icrc_mode = strcmp(mode, "cover") == 0 ? FCN_ICRC_COVER : FCN_ICRC_NORM;
	return 0;
}

static int
host_icrc(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, icrc_one);
}

/* Anybody's, or those of a prefix; each line with a prefix adds one. */
static int
accept_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
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
		return fcn_command_error(args, -ENOSPC, "from", "more than %u prefixes",
				FCN_ENDPOINT_MAX_SWITCHES);
	conf->access[conf->n_access] = *from;
	fcn_prefix_normalise(&conf->access[conf->n_access++]);
	return 0;
}

static int
host_accept(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, accept_one);
}

static int
support_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->fastcnp = strcmp(fcn_args_str(args, "how"), "refuse") == 0 ? FCN_FASTCNP_REFUSE
									 : FCN_FASTCNP_IGNORE;
	conf->n_access = 0;
	return 0;
}

static int
host_support(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, support_one);
}

static int
detour_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t after = fcn_args_u64(args, "after", 0);

	if (fcn_args_has(args, "after") && (after == 0 || after > UINT32_MAX))
		return fcn_command_error(args, -ERANGE, "after",
				"at least one Fast CNP, at most 4294967295");
	conf->detour_after = (uint32_t)after;
	conf->detour_hold_ns = fcn_args_u64(args, "hold", conf->detour_hold_ns);
	return 0;
}

static int
host_detour(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, detour_one);
}

static int
ioam_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t hops = fcn_args_u64(args, "hops", conf->ioam_hops);
	uint64_t ns = fcn_args_u64(args, "namespace", conf->ioam_namespace);
	uint64_t type = fcn_args_u64(args, "type", conf->ioam_type);

	if (hops == 0 || hops > MAX_HOPS)
		return fcn_command_error(args, -ERANGE, "hops", "1 to %u nodes", MAX_HOPS);
	if (ns > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "namespace", "a namespace is 0 to 65535");
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
host_ioam(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, ioam_one);
}

static int
base_rtt_one(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	uint64_t rtt = fcn_args_u64(args, "time", 0);

	if (rtt == 0 || rtt > MAX_NS)
		return fcn_command_error(args, -ERANGE, "time", "1ns to 1000s");
	conf->reaction.hpcc.base_rtt_ns = rtt;
	conf->reaction.simple.rtt_ns = rtt;
	return 0;
}

static int
host_base_rtt(struct fcn_session *session, const struct fcn_args *args)
{
	return lab_hosts_change(session, args, base_rtt_one);
}

#define SET(word, type, field, unit, least, most, help) \
	{"host <hosts:names> set " word " <value:" type ">", help, FCN_COMMAND_CONFIG, host_set},
#define TURN(word, field, help) \
	{"host <hosts:names> set " word " <state:on|off>", help, FCN_COMMAND_CONFIG, host_turn},

static const struct fcn_command commands[] = {
		{"host add <hosts:names>",
				"Add hosts: a RoCEv2 network adapter each, with one link. Its "
				"parameters are those of a ConnectX by default, it does not react "
				"to congestion and refuses Fast CNPs",
				FCN_COMMAND_CONFIG, host_add},
		{"host <hosts:names> set payload <bytes:256|512|1024|2048|4096>",
				"Bytes of payload in a packet, the path MTU of RoCE (default 1024)",
				FCN_COMMAND_CONFIG, host_payload},
		{"host <hosts:names> set operation <operation:send|write>",
				"What messages are sent by: SEND (default) or RDMA WRITE, of at "
				"most 2 GiB, whose first packet has 16 bytes more; receivers take "
				"both",
				FCN_COMMAND_CONFIG, host_operation},
		{"host <hosts:names> set window <bytes:size>",
				"Bytes of payload not acknowledged, at most; HPCC's window, of "
				"bytes on "
				"the wire, counts beside it",
				FCN_COMMAND_CONFIG, host_window},
		{"host <hosts:names> set window none", "No limit to bytes not acknowledged",
				FCN_COMMAND_CONFIG, host_window},
		{"host <hosts:names> set ack-dscp <dscp:number>", "DSCP of acknowledgements",
				FCN_COMMAND_CONFIG, host_ack_dscp},
		{"host <hosts:names> set ack-dscp same", "Acknowledgements have the data's DSCP",
				FCN_COMMAND_CONFIG, host_ack_dscp},
		{"host <hosts:names> set cnp-scope <scope:qp|pair|port>",
				"What the least time between CNPs is counted by: each queue pair, "
				"each pair of addresses, the whole adapter",
				FCN_COMMAND_CONFIG, host_scope},
		{"host <hosts:names> set fast-cnp accept [from <from:prefix>]",
				"Take Fast CNPs: from anybody, or from the prefixes given",
				FCN_COMMAND_CONFIG, host_accept},
		{"host <hosts:names> set fast-cnp <how:refuse|ignore>",
				"Answer Fast CNPs by a Parameter Problem, as a host that does not "
				"know the option; or drop them without a word",
				FCN_COMMAND_CONFIG, host_support},
		{"host <hosts:names> set detour after <after:count> [hold <hold:time>]",
				"After so many Fast CNPs from one switch, a queue pair takes "
				"another "
				"path (UDP source port), at most once in the hold time",
				FCN_COMMAND_CONFIG, host_detour},
		{"host <hosts:names> set detour off", "Queue pairs stay on their path",
				FCN_COMMAND_CONFIG, host_detour},
		{"host <hosts:names> set ioam on [hops <hops:number>] [namespace "
		 "<namespace:number>] [type <type:number>]",
				"Data packets carry an IOAM trace with room for so many nodes, "
				"which "
				"acknowledgements echo; type is the Trace-Type (default 0xb62000: "
				"all that HPCC++ wants)",
				FCN_COMMAND_CONFIG, host_ioam},
		{"host <hosts:names> set ioam off", "Data packets carry no trace",
				FCN_COMMAND_CONFIG, host_ioam},
		{"host <hosts:names> set icrc <mode:skip|cover|norm>",
				"How extension headers enter the ICRC: left out, covered, or as if "
				"there were none",
				FCN_COMMAND_CONFIG, host_icrc},
		{"host <hosts:names> set base-rtt <time:time>",
				"Round trip without queues, for HPCC++ and beta",
				FCN_COMMAND_CONFIG, host_base_rtt},
		LAB_HOST_SWITCHES(TURN) LAB_HOST_SETTINGS(SET)};

const struct fcn_command_group lab_host_commands = {"Hosts", commands, RTE_DIM(commands)};
