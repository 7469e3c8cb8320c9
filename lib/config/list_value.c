/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Members of things: read from a line, checked, compared and written. */

#include <errno.h>
#include <string.h>

#include "list_private.h"
#include "setting_private.h"

/* What members refer to: `find` returns a number or -ENOENT, and `name` the name for a number. */
struct reference {
	const char *what;
	int (*find)(const struct fcn_config *cfg, const char *name);
	const char *(*name)(const struct fcn_config *cfg, unsigned int number);
};

static const char *
port_name(const struct fcn_config *cfg, unsigned int port)
{
	return cfg->port[port].name;
}

static const char *
table_name(const struct fcn_config *cfg, unsigned int table)
{
	return cfg->table[table].name;
}

/* Policies are named by their slots. */
static int
policy_find(const struct fcn_config *cfg, const char *name)
{
	int at = fcn_config_srv6_policy_find(cfg, name);

	return at < 0 ? at : cfg->srv6.policies.item[at].slot;
}

static const char *
policy_name(const struct fcn_config *cfg, unsigned int slot)
{
	return fcn_config_srv6_policy_of(cfg, slot)->name;
}

static const struct reference *
reference_of(const struct fcn_setting_value *v)
{
	static const struct reference references[] = {
			[FCN_SETTING_PORT] = {"port", fcn_config_port_find, port_name},
			[FCN_SETTING_TABLE] = {"table", fcn_config_table_find, table_name},
			[FCN_SETTING_POLICY] = {"policy", policy_find, policy_name},
	};

	return &references[v->type];
}

static const char *
name_of(const struct fcn_config *cfg, const struct fcn_setting_value *v, const void *thing)
{
	return reference_of(v)->name(cfg, (unsigned int)(setting_get(thing, v) - v->least));
}

void
list_defaults(const struct fcn_list *list, void *thing)
{
	memset(thing, 0, list->size);
	if (list->scope != NULL)
		fcn_setting_defaults(list->scope, thing);
	LIST_FOREACH_MEMBER(m, list)
	{
		if (!setting_is_bytes(&m->value))
			setting_put(thing, &m->value, m->value.initial);
	}
}

/* Read a SID of a list. @return NULL, or what is wrong with it */
static const char *
read_sid(const char *text, uint8_t segment[16])
{
	struct fcn_addr addr;

	if (fcn_addr_parse(text, &addr) != 0 || addr.version != 6)
		return "is not an IPv6 address";
	if (fcn_addr_why_no_host(&addr) != NULL || fcn_addr_is_link_local(&addr))
		return "is not an address that packets can be routed to";
	memcpy(segment, addr.bytes, 16);
	return NULL;
}

static int
read_segments(const struct fcn_args *args, const char *key, struct fcn_segment_list *list)
{
	char text[FCN_COMMAND_MAX_TEXT], *rest = text, *sid;
	const char *why;

	snprintf(text, sizeof(text), "%s", fcn_args_str(args, key));
	while ((sid = strsep(&rest, ",")) != NULL) {
		if (list->n == FCN_SRV6_MAX_SEGMENTS)
			return fcn_command_error(args, -E2BIG, key,
					"a list has at most %u segments", FCN_SRV6_MAX_SEGMENTS);
		why = read_sid(sid, list->segment[list->n++]);
		if (why != NULL)
			return fcn_command_error(args, -EINVAL, key, "%s %s", sid, why);
	}
	return 0;
}

static int
read_name(const struct fcn_args *args, const struct fcn_setting_value *v, char *member)
{
	const char *name = fcn_args_str(args, v->key);

	if (strlen(name) >= v->size)
		return fcn_command_error(args, -EINVAL, v->key, "%s has at most %zu characters",
				v->what, v->size - 1);
	memcpy(member, name, strlen(name));
	return 0;
}

static int
read_reference(const struct fcn_config *cfg, const struct fcn_args *args,
		const struct fcn_setting_value *v, void *thing)
{
	const struct reference *r = reference_of(v);
	const char *name = fcn_args_str(args, v->key);
	int number = r->find(cfg, name);

	if (number < 0)
		return fcn_command_error(args, -ENOENT, v->key, "there is no %s %s", r->what, name);
	setting_put(thing, v, (unsigned int)number + v->least);
	return 0;
}

static int
read_number(const struct fcn_args *args, const struct fcn_setting_value *v, void *thing)
{
	uint64_t value = 1;
	int rc = v->type == FCN_SETTING_WORD ? 0 : setting_read_number(args, v, &value);

	if (rc == 0)
		setting_put(thing, v, value);
	return rc;
}

int
list_read(const struct fcn_config *cfg, const struct fcn_args *args,
		const struct fcn_list_member *m, void *thing)
{
	const struct fcn_setting_value *v = &m->value;
	void *member = (uint8_t *)thing + v->offset;

	switch (v->type) {
	case FCN_SETTING_PORT:
	case FCN_SETTING_TABLE:
	case FCN_SETTING_POLICY:
		return read_reference(cfg, args, v, thing);
	case FCN_SETTING_NAME:
		return read_name(args, v, member);
	case FCN_SETTING_MAC:
		memcpy(member, fcn_args_mac(args, v->key), v->size);
		return 0;
	case FCN_SETTING_ADDR6:
	case FCN_SETTING_ADDR4:
	case FCN_SETTING_ADDR:
		memcpy(member, fcn_args_addr(args, v->key), v->size);
		return 0;
	case FCN_SETTING_PREFIX:
	case FCN_SETTING_ADDR_LEN:
		memcpy(member, fcn_args_prefix(args, v->key), v->size);
		return 0;
	case FCN_SETTING_SEGMENTS:
		return read_segments(args, v->key, member);
	default:
		return read_number(args, v, thing);
	}
}

/* Get an address of a prefix that a host can have, or "" if there is none. The first one after the
 * prefix itself is reserved in none. */
static const char *
example_of(const struct fcn_prefix *prefix, char text[FCN_PREFIX_STRLEN])
{
	struct fcn_prefix example = *prefix;

	fcn_prefix_normalise(&example);
	example.addr.bytes[prefix->addr.version == 4 ? 3 : 15] |= 1;
	if (fcn_prefix_why_no_host(&example) != NULL)
		return "";
	return fcn_prefix_format(&example, text, FCN_PREFIX_STRLEN);
}

static int
check_prefix(const struct fcn_list_member *m, const struct fcn_prefix *prefix,
		struct fcn_list_error *error)
{
	char text[FCN_PREFIX_STRLEN];
	const char *example;

	if (m->only_ipv6 != NULL && prefix->addr.version != 6)
		return fcn_list_refuse(error, -EAFNOSUPPORT, m->value.key, "%s", m->only_ipv6);
	if (m->value.type != FCN_SETTING_ADDR_LEN || fcn_prefix_why_no_host(prefix) == NULL)
		return 0;
	example = example_of(prefix, text);
	return fcn_list_refuse(error, -EINVAL, m->value.key, "not the address of a host: %s%s%s",
			fcn_prefix_why_no_host(prefix),
			example[0] != '\0' ? "; an address of this prefix is " : "", example);
}

static int
check_addr(const struct fcn_list_member *m, const struct fcn_addr *addr,
		struct fcn_list_error *error)
{
	const char *why = fcn_addr_why_no_host(addr);

	if (m->only_ipv6 != NULL && addr->version != 6)
		return fcn_list_refuse(error, -EAFNOSUPPORT, m->value.key, "%s", m->only_ipv6);
	if (m->only_global != NULL && (why != NULL || fcn_addr_is_link_local(addr)))
		return fcn_list_refuse(error, -EINVAL, m->value.key, "%s", m->only_global);
	return why == NULL ? 0
			   : fcn_list_refuse(error, -EINVAL, m->value.key,
					     "not the address of a host: %s", why);
}

int
list_check_member(const struct fcn_list_member *m, const void *thing, struct fcn_list_error *error)
{
	const void *member = (const uint8_t *)thing + m->value.offset;

	if (m->value.optional && setting_is(thing, &m->value, 0)) /* it was left out */
		return 0;
	switch (m->value.type) {
	case FCN_SETTING_MAC:
		if (!rte_is_valid_assigned_ether_addr(member))
			return fcn_list_refuse(
					error, -EINVAL, m->value.key, "not a unicast MAC address");
		return 0;
	case FCN_SETTING_ADDR6:
	case FCN_SETTING_ADDR4:
	case FCN_SETTING_ADDR:
		return check_addr(m, member, error);
	case FCN_SETTING_PREFIX:
	case FCN_SETTING_ADDR_LEN:
		return check_prefix(m, member, error);
	default:
		return 0;
	}
}

bool
list_is_same(const struct fcn_list_member *m, const void *a, const void *b)
{
	const struct fcn_setting_value *v = &m->value;
	const uint8_t *x = (const uint8_t *)a + v->offset, *y = (const uint8_t *)b + v->offset;

	if (x[0] != y[0])
		return false;
	switch (v->type) {
	case FCN_SETTING_SEGMENTS:
		return fcn_segment_list_is_same((const void *)x, (const void *)y);
	case FCN_SETTING_ADDR_LEN: /* the length behind the address is no part of the key */
		return memcmp(x, y, sizeof(struct fcn_addr)) == 0;
	default:
		return memcmp(x, y, v->size) == 0;
	}
}

void
list_write(const struct fcn_config *cfg, const struct fcn_list_member *m, const void *thing,
		FILE *out)
{
	const struct fcn_setting_value *v = &m->value;
	char text[SETTING_TEXT];

	if (list_is_reference(v))
		fputs(name_of(cfg, v, thing), out);
	else if (setting_is_bytes(v))
		setting_write_bytes(v, thing, out);
	else
		fputs(setting_text(v, setting_get(thing, v), text, sizeof(text)), out);
}

void
list_text(const struct fcn_config *cfg, const struct fcn_list_member *m, const void *thing,
		char *text, size_t size)
{
	const struct fcn_setting_value *v = &m->value;
	char number[SETTING_TEXT];
	FILE *out;

	text[0] = '\0';
	if (v->type == FCN_SETTING_NAME) {
		snprintf(text, size, "%s", (const char *)thing + v->offset);
	} else if (list_is_reference(v)) {
		snprintf(text, size, "%s", name_of(cfg, v, thing));
	} else if (!setting_is_bytes(v)) {
		snprintf(text, size, "%s",
				setting_text(v, setting_get(thing, v), number, sizeof(number)));
	} else if ((out = fmemopen(text, size, "w")) != NULL) {
		setting_write_bytes(v, thing, out);
		fclose(out);
	}
}

json_t *
list_json(const struct fcn_config *cfg, const struct fcn_list_member *m, const void *thing)
{
	const struct fcn_setting_value *v = &m->value;

	if (v->form != NULL)
		return v->form(v, thing);
	if (v->optional && v->has_none && setting_is(thing, v, v->none))
		return json_null();
	if (list_is_reference(v))
		return json_string(name_of(cfg, v, thing));
	if (setting_is_bytes(v))
		return setting_bytes_json(v, (const uint8_t *)thing + v->offset);
	return setting_number_json(v, setting_get(thing, v));
}
