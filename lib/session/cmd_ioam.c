/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "session_private.h"

#define MAX_TAI_OFFSET 1000

static int
set_node(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t id = fcn_args_u64(args, "id", FCN_IOAM_NO_NODE);
	uint64_t wide = fcn_args_u64(args, "wide", FCN_IOAM_NO_NODE_WIDE);
	struct fcn_config_ioam *ioam;

	if (fcn_args_has(args, "id") && id >= FCN_IOAM_NO_NODE)
		return fcn_command_error(args, -ERANGE, "id", "a node's id is 0 to 0x%x",
				FCN_IOAM_NO_NODE - 1);
	if (fcn_args_has(args, "wide") && wide >= FCN_IOAM_NO_NODE_WIDE)
		return fcn_command_error(args, -ERANGE, "wide",
				"a node's wide id is 0 to 0x%" PRIx64, FCN_IOAM_NO_NODE_WIDE - 1);
	ioam = &fcn_session_edit(session)->ioam;
	ioam->node_id = id;
	ioam->node_id_wide = wide;
	return 0;
}

static int
set_time(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_ioam *ioam = &fcn_session_edit(session)->ioam;
	const char *format = fcn_args_str(args, "format");
	uint64_t offset = fcn_args_u64(args, "offset", FCN_IOAM_TAI_OFFSET);

	if (offset > MAX_TAI_OFFSET)
		return fcn_command_error(args, -ERANGE, "offset",
				"TAI is 0 to %u seconds ahead of UTC", MAX_TAI_OFFSET);
	ioam->time_format = FCN_IOAM_TIME_POSIX;
	while (strcmp(fcn_ioam_time_name(ioam->time_format), format) != 0)
		ioam->time_format++;
	ioam->tai_offset = offset;
	return 0;
}

static int
get_namespace(const struct fcn_args *args, uint16_t *id)
{
	uint64_t v = fcn_args_u64(args, "id", 0);

	if (v > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "id", "a namespace is 0 to %u", UINT16_MAX);
	*id = v;
	return 0;
}

static int
namespace_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_ioam_namespace *ns;
	uint16_t id = 0;
	int rc = get_namespace(args, &id);

	if (rc != 0)
		return rc;
	ns = fcn_config_namespace_add(fcn_session_edit(session), id, &rc);
	if (ns == NULL)
		return fcn_command_error(args, rc, "id",
				rc == -EEXIST ? "there is a namespace %u already"
					      : "%u would be one namespace too many",
				id);
	if (fcn_args_has(args, "profile")) {
		ns->short_data = FCN_IOAM_DATA_LINK_SPEED;
		ns->wide_data = FCN_IOAM_DATA_TX_BYTES;
	}
	return 0;
}

static int
namespace_remove(struct fcn_session *session, const struct fcn_args *args)
{
	uint16_t id = 0;
	int rc = get_namespace(args, &id);

	if (rc == 0 && fcn_config_namespace_remove(fcn_session_edit(session), id) != 0)
		rc = fcn_command_error(args, -ENOENT, "id", "there is no namespace %u", id);
	return rc;
}

/* The namespace a command is about; an error is reported. */
static int
find_namespace(struct fcn_session *session, const struct fcn_args *args,
		struct fcn_ioam_namespace **ns)
{
	uint16_t id = 0;
	int rc = get_namespace(args, &id);

	if (rc != 0)
		return rc;
	*ns = fcn_config_namespace_find(fcn_session_edit(session), id);
	if (*ns == NULL)
		return fcn_command_error(args, -ENOENT, "id",
				"there is no namespace %u: ioam namespace add %u", id, id);
	return 0;
}

static enum fcn_ioam_data
data_of(const struct fcn_args *args)
{
	const char *what = fcn_args_str(args, "what");

	if (what == NULL)
		return FCN_IOAM_DATA_VALUE;
	if (strcmp(what, "link-speed") == 0)
		return FCN_IOAM_DATA_LINK_SPEED;
	return strcmp(what, "tx-bytes") == 0 ? FCN_IOAM_DATA_TX_BYTES : FCN_IOAM_DATA_NONE;
}

static int
set_short(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t value = fcn_args_u64(args, "value", 0);
	struct fcn_ioam_namespace *ns;
	int rc = find_namespace(session, args, &ns);

	if (rc != 0)
		return rc;
	if (value > UINT32_MAX)
		return fcn_command_error(args, -ERANGE, "value", "a value of 32 bits");
	ns->short_data = data_of(args);
	ns->short_value = value;
	return 0;
}

static int
set_wide(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_ioam_namespace *ns;
	int rc = find_namespace(session, args, &ns);

	if (rc != 0)
		return rc;
	ns->wide_data = data_of(args);
	ns->wide_value = fcn_args_u64(args, "value", 0);
	return 0;
}

static int
hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = strchr(digits, c | 0x20);

	return c == '\0' || at == NULL ? -1 : (int)(at - digits);
}

/* Whole words, as hexadecimal digits. @return their number, or -1 */
static int
read_words(const char *hex, uint8_t *data)
{
	size_t len = strlen(hex);

	if (len % 8 != 0 || len / 8 > FCN_IOAM_MAX_SCHEMA_WORDS)
		return -1;
	for (size_t i = 0; i < len; i += 2) {
		int high = hex_digit(hex[i]), low = hex_digit(hex[i + 1]);

		if (high < 0 || low < 0)
			return -1;
		data[i / 2] = high << 4 | low;
	}
	return len / 8;
}

static int
set_schema(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t id = fcn_args_u64(args, "schema", FCN_IOAM_NO_SCHEMA);
	uint8_t data[sizeof(((struct fcn_ioam_namespace *)0)->schema)] = {0};
	struct fcn_ioam_namespace *ns;
	int rc = find_namespace(session, args, &ns), words = 0;

	if (rc != 0)
		return rc;
	if (fcn_args_has(args, "schema") && !fcn_args_has(args, "none") && id >= FCN_IOAM_NO_SCHEMA)
		return fcn_command_error(args, -ERANGE, "schema", "a schema is 0 to 0x%x",
				FCN_IOAM_NO_SCHEMA - 1);
	if (fcn_args_has(args, "data"))
		words = read_words(fcn_args_str(args, "data"), data);
	if (words < 0)
		return fcn_command_error(args, -EINVAL, "data",
				"words of eight hexadecimal digits, at most %u of them",
				FCN_IOAM_MAX_SCHEMA_WORDS);
	ns->schema_id = id;
	ns->schema_words = words;
	memcpy(ns->schema, data, sizeof(ns->schema));
	return 0;
}

static struct fcn_config_ioam_port *
ioam_of(struct fcn_session *session, unsigned int port)
{
	return &fcn_session_edit(session)->port[port].ioam;
}

static int
set_transit(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t ports;
	int rc = fcn_session_ports(session, args, "port", &ports);

	for (; ports != 0; ports &= ports - 1)
		ioam_of(session, __builtin_ctzll(ports))->transit = fcn_session_is_on(args);
	return rc;
}

static int
set_edge(struct fcn_session *session, const struct fcn_args *args)
{
	const char *edge = fcn_args_str(args, "edge");
	enum fcn_ioam_edge e = FCN_IOAM_EDGE_OFF;
	uint64_t ports;
	int rc = fcn_session_ports(session, args, "port", &ports);

	while (strcmp(fcn_ioam_edge_name(e), edge) != 0)
		e++;
	for (; ports != 0; ports &= ports - 1)
		ioam_of(session, __builtin_ctzll(ports))->edge = e;
	return rc;
}

static int
set_port_id(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_line_port(session, args, "port");
	uint64_t id = fcn_args_u64(args, "id", FCN_AUTO);
	uint64_t wide = fcn_args_u64(args, "wide", id);

	if (port < 0)
		return port;
	if (fcn_args_has(args, "off")) {
		id = FCN_IOAM_NA16;
		wide = FCN_IOAM_NA32;
	} else if (fcn_args_has(args, "auto")) {
		wide = FCN_AUTO64;
	} else if (id >= FCN_IOAM_NA16) {
		return fcn_command_error(
				args, -ERANGE, "id", "a port's id is 0 to %u", FCN_IOAM_NA16 - 1);
	} else if (wide >= FCN_IOAM_NA32) {
		return fcn_command_error(args, -ERANGE, "wide", "a port's wide id is 0 to 0x%x",
				FCN_IOAM_NA32 - 1);
	}
	ioam_of(session, port)->id = id;
	ioam_of(session, port)->id_wide = wide;
	return 0;
}

static const struct fcn_command commands[] = {
		{"set ioam node <id:number> [wide <wide:number>]",
				"Id of this node in IOAM traces, of 24 and of 56 bits",
				FCN_COMMAND_CONFIG, set_node},
		{"set ioam node off", "No such id: all ones (default)", FCN_COMMAND_CONFIG,
				set_node},
		{"set ioam time <format:posix|posix-ns|ptp|ntp> [tai-offset <offset:number>]",
				"Format of timestamps (default ptp), and for ptp the seconds that "
				"TAI is ahead of UTC (default 37)",
				FCN_COMMAND_CONFIG, set_time},
		{"ioam namespace add <id:number> [profile hpcc]",
				"Take part in a namespace; hpcc: with speed of the egress link and "
				"bytes sent. 0 is there with any transit",
				FCN_COMMAND_CONFIG, namespace_add},
		{"ioam namespace remove <id:number>", "Leave a namespace", FCN_COMMAND_CONFIG,
				namespace_remove},
		{"set ioam namespace <id:number> short value <value:number>",
				"Namespace specific data of four octets", FCN_COMMAND_CONFIG,
				set_short},
		{"set ioam namespace <id:number> short <what:link-speed|none>",
				"The same: speed of the egress link in Mb/s, or none (default)",
				FCN_COMMAND_CONFIG, set_short},
		{"set ioam namespace <id:number> wide value <value:number>",
				"Namespace specific data of eight octets", FCN_COMMAND_CONFIG,
				set_wide},
		{"set ioam namespace <id:number> wide <what:tx-bytes|none>",
				"The same: bytes that the egress port sent, or none (default)",
				FCN_COMMAND_CONFIG, set_wide},
		{"set ioam namespace <id:number> schema <schema:number> [data <data:name>]",
				"Opaque state snapshot: its schema, and words of eight hexadecimal "
				"digits",
				FCN_COMMAND_CONFIG, set_schema},
		{"set ioam namespace <id:number> schema none", "No such snapshot (default)",
				FCN_COMMAND_CONFIG, set_schema},
		{"set ioam port <port:name> transit <state:on|off>",
				"Add this node's data to IOAM traces of packets that come in here "
				"(default off)",
				FCN_COMMAND_CONFIG, set_transit},
		{"set ioam port <port:name> id <id:number> [wide <wide:number>]",
				"Id of the port in IOAM traces, of 16 and of 32 bits (default the "
				"same)",
				FCN_COMMAND_CONFIG, set_port_id},
		{"set ioam port <port:name> id off", "No such id: all ones", FCN_COMMAND_CONFIG,
				set_port_id},
		{"set ioam port <port:name> id auto", "The port's number + 1 (default)",
				FCN_COMMAND_CONFIG, set_port_id},
		{"set ioam port <port:name> edge <edge:off|strip|drop>",
				"The IOAM domain ends at this port: take IOAM options out of "
				"packets that pass it, or drop them (default off)",
				FCN_COMMAND_CONFIG, set_edge},
};

const struct fcn_command_group fcn_ioam_commands = {"IOAM", commands, RTE_DIM(commands)};

static void
save_data(enum fcn_ioam_data data, uint64_t value, const char *field, uint16_t id, FILE *out)
{
	if (data == FCN_IOAM_DATA_VALUE)
		fprintf(out, "set ioam namespace %u %s value %" PRIu64 "\n", id, field, value);
	else if (data != FCN_IOAM_DATA_NONE)
		fprintf(out, "set ioam namespace %u %s %s\n", id, field, fcn_ioam_data_name(data));
}

static void
save_namespace(const struct fcn_ioam_namespace *ns, FILE *out)
{
	fprintf(out, "ioam namespace add %u\n", ns->id);
	save_data(ns->short_data, ns->short_value, "short", ns->id, out);
	save_data(ns->wide_data, ns->wide_value, "wide", ns->id, out);
	if (ns->schema_id == FCN_IOAM_NO_SCHEMA)
		return;
	fprintf(out, "set ioam namespace %u schema %u", ns->id, ns->schema_id);
	for (unsigned int i = 0; i < 4u * ns->schema_words; i++)
		fprintf(out, "%s%02x", i == 0 ? " data " : "", ns->schema[i]);
	fputc('\n', out);
}

static void
save_port(const struct fcn_config_ioam_port *ioam, const char *port, FILE *out)
{
	if (ioam->id == FCN_IOAM_NA16)
		fprintf(out, "set ioam port %s id off\n", port);
	else if (ioam->id != FCN_AUTO)
		fprintf(out, "set ioam port %s id %u wide %" PRIu64 "\n", port, ioam->id,
				ioam->id_wide);
	if (ioam->transit)
		fprintf(out, "set ioam port %s transit on\n", port);
	if (ioam->edge != FCN_IOAM_EDGE_OFF)
		fprintf(out, "set ioam port %s edge %s\n", port, fcn_ioam_edge_name(ioam->edge));
}

void
fcn_save_ioam(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_ioam *ioam = &cfg->ioam;

	if (ioam->node_id != FCN_IOAM_NO_NODE) {
		fprintf(out, "set ioam node %u", ioam->node_id);
		if (ioam->node_id_wide != FCN_IOAM_NO_NODE_WIDE)
			fprintf(out, " wide %" PRIu64, ioam->node_id_wide);
		fputc('\n', out);
	}
	if (ioam->time_format != FCN_IOAM_TIME_PTP || ioam->tai_offset != FCN_IOAM_TAI_OFFSET)
		fprintf(out, "set ioam time %s tai-offset %d\n",
				fcn_ioam_time_name(ioam->time_format), ioam->tai_offset);
	for (uint32_t i = 0; i < ioam->n_namespaces; i++)
		save_namespace(&ioam->ns[i], out);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_line(cfg, p))
			save_port(&cfg->port[p].ioam, cfg->port[p].name, out);
	}
}
