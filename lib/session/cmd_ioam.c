/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fcn_config_names.h"
#include "session_private.h"

static int
get_namespace(const struct fcn_args *args, uint16_t *id)
{
	uint64_t v = fcn_args_u64(args, "id", 0);

	if (v > UINT16_MAX)
		return fcn_command_error(
				args, -ERANGE, "id", "a namespace must be 0 to %u", UINT16_MAX);
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
					      : "namespace %u cannot be added: the maximum "
						"number of namespaces is reached",
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
		return fcn_command_error(
				args, -ERANGE, "value", "the value must have at most 32 bits");
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
		return fcn_command_error(args, -ERANGE, "schema", "a schema must be 0 to 0x%x",
				FCN_IOAM_NO_SCHEMA - 1);
	if (fcn_args_has(args, "data"))
		words = read_words(fcn_args_str(args, "data"), data);
	if (words < 0)
		return fcn_command_error(args, -EINVAL, "data",
				"the data must be at most %u words of eight hexadecimal digits",
				FCN_IOAM_MAX_SCHEMA_WORDS);
	ns->schema_id = id;
	ns->schema_words = words;
	memcpy(ns->schema, data, sizeof(ns->schema));
	return 0;
}

static const struct fcn_command commands[] = {
		{"ioam namespace add <id:number> [profile hpcc]",
				"Add an IOAM namespace in which this node takes part. With the "
				"profile hpcc, the node writes the speed of the egress link "
				"and the number of bytes sent as namespace specific data. "
				"Namespace 0 always exists when a port has transit on",
				FCN_COMMAND_CONFIG, namespace_add},
		{"ioam namespace remove <id:number>", "Remove an IOAM namespace",
				FCN_COMMAND_CONFIG, namespace_remove},
		{"set ioam namespace <id:number> short value <value:number>",
				"Namespace specific data of four octets that this node writes: "
				"a constant",
				FCN_COMMAND_CONFIG, set_short},
		{"set ioam namespace <id:number> short <what:link-speed|none>",
				"Namespace specific data of four octets that this node writes: "
				"the speed of the egress link in Mb/s, or none (default)",
				FCN_COMMAND_CONFIG, set_short},
		{"set ioam namespace <id:number> wide value <value:number>",
				"Namespace specific data of eight octets that this node "
				"writes: a constant",
				FCN_COMMAND_CONFIG, set_wide},
		{"set ioam namespace <id:number> wide <what:tx-bytes|none>",
				"Namespace specific data of eight octets that this node "
				"writes: the number of bytes sent by the egress port, or none "
				"(default)",
				FCN_COMMAND_CONFIG, set_wide},
		{"set ioam namespace <id:number> schema <schema:number> [data <data:name>]",
				"Opaque state snapshot that this node writes: the schema ID, "
				"and the data as words of eight hexadecimal digits each",
				FCN_COMMAND_CONFIG, set_schema},
		{"set ioam namespace <id:number> schema none",
				"This node writes no opaque state snapshot (default)",
				FCN_COMMAND_CONFIG, set_schema},
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

void
fcn_save_namespaces(const struct fcn_config *cfg, FILE *out)
{
	for (uint32_t i = 0; i < cfg->ioam.n_namespaces; i++)
		save_namespace(&cfg->ioam.ns[i], out);
}
