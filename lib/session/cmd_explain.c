/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What would become of a packet now. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"
#include "fcn_explain.h"
#include "fcn_show.h"
#include "session_private.h"

#define MAX_QP 0xFFFFFFu
#define MAX_DSCP 63
#define MAX_VLAN 4094
#define DEFAULT_HOP_LIMIT 64
#define DEFAULT_SOURCE_PORT 49152 /* the first of those for anyone (RFC 6335) */

/* Get the port that receives the packet. @param named written: what the line names, which may be a
 * sub-interface @return the number of the port, or a negative errno after the error was reported */
static int
port_of(struct fcn_session *session, const struct fcn_args *args, int *named)
{
	const struct fcn_config *cfg = session->candidate;
	int port = fcn_setting_port(cfg, args, "port");

	*named = port;
	if (port < 0)
		return port;
	if (fcn_config_is_bridge_interface(cfg, port))
		return fcn_command_error(args, -EINVAL, "port",
				"a bridge interface receives no frames of its own: name a port of "
				"the bridge");
	if (fcn_config_is_sub_interface(cfg, port))
		port = cfg->port[port].parent;
	if (fcn_control_port(session->ctl, port) == NULL)
		return fcn_command_error(args, -ENODEV, "port", "the port is not open");
	return port;
}

/* Explain a frame, and show the result. */
static int
explain(struct fcn_session *session, const struct fcn_args *args, int port,
		const struct explain_frame *frame)
{
	struct fcn_explanation *ex = malloc(sizeof(*ex));
	json_t *value;
	char err[128];
	int rc;

	if (ex == NULL)
		return -ENOMEM;
	rc = fcn_control_explain(session->ctl, (uint16_t)port, frame->data, frame->len, ex, err,
			sizeof(err));
	if (rc != 0) {
		free(ex);
		return fcn_command_error(args, rc, NULL, "%s", err);
	}
	value = fcn_show_explanation(session->ctl, ex);
	fcn_explanation_free(ex);
	free(ex);
	return fcn_session_put(session, args, value, NULL);
}

/* Get a number that is at most `most`. @return 0; -ERANGE after the error was reported */
static int
number_of(const struct fcn_args *args, const char *key, uint64_t fallback, uint64_t most,
		uint64_t *value)
{
	*value = fcn_args_u64(args, key, fallback);
	if (*value <= most)
		return 0;
	return fcn_command_error(
			args, -ERANGE, key, "%s must be 0 to %llu", key, (unsigned long long)most);
}

static uint8_t
ecn_of(const struct fcn_args *args)
{
	static const char *const words[] = {"not-ect", "ect1", "ect0", "ce"};
	const char *word = fcn_args_str(args, "ecn");
	uint8_t ecn = 0;

	if (word == NULL)
		return 2; /* ECT(0), as senders of RoCEv2 that do congestion control */
	while (strcmp(words[ecn], word) != 0)
		ecn++;
	return ecn;
}

static int
read_numbers(const struct fcn_args *args, struct explain_fields *f)
{
	uint64_t qp, dscp, hop_limit, source_port, vlan, size;
	int rc = number_of(args, "qp", 0, MAX_QP, &qp);

	if (rc == 0)
		rc = number_of(args, "dscp", 0, MAX_DSCP, &dscp);
	if (rc == 0)
		rc = number_of(args, "hop-limit", DEFAULT_HOP_LIMIT, UINT8_MAX, &hop_limit);
	if (rc == 0)
		rc = number_of(args, "source-port", DEFAULT_SOURCE_PORT, UINT16_MAX, &source_port);
	if (rc == 0)
		rc = number_of(args, "vlan", f->vlan, MAX_VLAN, &vlan);
	if (rc == 0)
		rc = number_of(args, "size", 0, FCN_DRY_RUN_MAX_LEN, &size);
	if (rc != 0)
		return rc;
	f->qp = (uint32_t)qp;
	f->dscp = (uint8_t)dscp;
	f->ecn = ecn_of(args);
	f->hop_limit = (uint8_t)hop_limit;
	f->source_port = (uint16_t)source_port;
	f->vlan = (uint16_t)vlan;
	f->len = (uint32_t)size;
	return 0;
}

/* The addresses of the link: to the switch, unless the line has others. */
static int
read_macs(struct fcn_session *session, const struct fcn_args *args, int interface,
		struct explain_fields *f)
{
	const struct fcn_snapshot_port *conf = &fcn_control_snapshot(session->ctl)->port[interface];
	const struct rte_ether_addr *to = fcn_args_mac(args, "to");

	if (to == NULL && conf->mode == FCN_PORT_BRIDGED)
		return fcn_command_error(args, -EINVAL, "port",
				"it is a port of a bridge: say to which station the packet goes "
				"(to MAC)");
	f->to = to != NULL ? *to : conf->mac;
	f->from = (struct rte_ether_addr){.addr_bytes = {0x02, 0, 0, 0, 0, 1}};
	return 0;
}

static int
explain_fields_of(struct fcn_session *session, const struct fcn_args *args)
{
	struct explain_fields f = {
			.src = *fcn_args_addr(args, "src"), .dst = *fcn_args_addr(args, "dst")};
	struct explain_frame *frame;
	int named, rc, port = port_of(session, args, &named);

	if (port < 0)
		return port;
	if (f.src.version != f.dst.version)
		return fcn_command_error(args, -EINVAL, "dst",
				"source and destination are addresses of different versions");
	f.vlan = named != port ? session->candidate->port[named].vlan : 0;
	rc = read_numbers(args, &f);
	if (rc == 0)
		rc = read_macs(session, args, named, &f);
	if (rc != 0)
		return rc;
	frame = malloc(sizeof(*frame));
	if (frame == NULL)
		return -ENOMEM;
	rc = explain_frame_make(&f, frame);
	if (rc == 0)
		rc = explain(session, args, port, frame);
	else
		rc = fcn_command_error(args, rc, "size",
				"a frame of so many bytes has no room for its headers");
	free(frame);
	return rc;
}

static int
explain_hex(struct fcn_session *session, const struct fcn_args *args)
{
	struct explain_frame *frame;
	uint64_t size;
	size_t where;
	int named, rc, port = port_of(session, args, &named);

	if (port < 0)
		return port;
	rc = number_of(args, "size", 0, FCN_DRY_RUN_MAX_LEN, &size);
	if (rc != 0)
		return rc;
	frame = malloc(sizeof(*frame));
	if (frame == NULL)
		return -ENOMEM;
	rc = explain_frame_read(fcn_args_str(args, "frame"), (uint32_t)size, frame, &where);
	if (rc == 0)
		rc = explain(session, args, port, frame);
	else if (rc == -ERANGE)
		rc = fcn_command_error(args, rc, "frame", "the frame is longer than its size");
	else
		rc = fcn_command_error(args, rc, "frame",
				"two hexadecimal digits for each octet are expected at character "
				"%zu",
				where + 1);
	free(frame);
	return rc;
}

/* Reading a file. Another thread does it, as file systems may be slow. */
struct loading {
	const char *path;
	uint64_t number;
	struct explain_frame *frame;
	char err[512];
	int rc;
};

static void
load(void *arg)
{
	struct loading *l = arg;

	l->rc = explain_frame_load(l->path, l->number, l->frame, l->err, sizeof(l->err));
}

static int
explain_capture(struct fcn_session *session, const struct fcn_args *args)
{
	struct loading l = {.number = fcn_args_u64(args, "n", 0)};
	int named, rc, port = port_of(session, args, &named);
	char *path;

	if (port < 0)
		return port;
	if (l.number < 1 || l.number > EXPLAIN_MAX_NUMBER)
		return fcn_command_error(args, -ERANGE, "n", "frames have numbers from 1 to %u",
				EXPLAIN_MAX_NUMBER);
	rc = fcn_session_path(session, args, FCN_SESSION_OUTPUT, &path);
	if (rc != 0)
		return rc;
	l.path = path;
	l.frame = malloc(sizeof(*l.frame));
	if (l.frame == NULL) {
		free(path);
		return -ENOMEM;
	}
	fcn_control_aside(session->ctl, load, &l);
	if (l.rc == 0)
		rc = explain(session, args, port, l.frame);
	else
		rc = fcn_command_error(args, l.rc, "file", "%s", l.err);
	free(l.frame);
	free(path);
	return rc;
}

static const struct fcn_command commands[] = {
		{"explain in <port:name> src <src:addr> dst <dst:addr> qp <qp:number> "
		 "[dscp <dscp:number>] [ecn <ecn:not-ect|ect0|ect1|ce>] [size <size:size>] "
		 "[hop-limit <hop-limit:number>] [source-port <source-port:number>] "
		 "[to <to:mac> [vlan <vlan:number>]] [json]",
				"Show what would become of a data packet of RoCEv2 if the port "
				"received it now: class, route, queue, detector, and the verdict "
				"on each kind of notice. Nothing is sent, and nothing changes",
				FCN_COMMAND_ACTION, explain_fields_of, .role = FCN_ROLE_READ},
		{"explain in <port:name> [size <size:size>] [json] hex <frame:text>",
				"Show the same of a frame that is written as hexadecimal digits, "
				"from its Ethernet header on and without FCS",
				FCN_COMMAND_ACTION, explain_hex, .role = FCN_ROLE_READ},
		{"explain in <port:name> capture <file:name> frame <n:number> [json]",
				"Show the same of a frame of a capture file, pcap or pcapng, whose "
				"first frame is number 1. At most the first 256 MiB of the file "
				"are read",
				FCN_COMMAND_ACTION, explain_capture, .role = FCN_ROLE_READ},
};

const struct fcn_command_group fcn_explain_commands = {
		"Explain a packet", commands, RTE_DIM(commands)};
