/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Run the commands of settings. */

#include <errno.h>
#include <string.h>

#include <bsd/string.h>

#include "fcn_list.h"
#include "setting_private.h"

/* Report that a value is out of range: "a limit must be 1 to 1G bytes", "a burst must be at most 1G
 * bytes", "a rate must be 1K to 4000G, or off". */
static int
outside(const struct fcn_args *args, const struct fcn_setting_value *v)
{
	const bool at_most = v->least == 0 && v->type != FCN_SETTING_NUMBER;
	char least[SETTING_TEXT], most[SETTING_TEXT], step[SETTING_TEXT], or [SETTING_TEXT] = "";

	for (unsigned int i = 0; i < FCN_SETTING_SPECIALS && v->special[i].word != NULL; i++) {
		strlcat(or, ", or ", sizeof(or));
		strlcat(or, v->special[i].word, sizeof(or));
	}
	return fcn_command_error(args, -ERANGE, v->key, "%s must be %s%s%s%s%s%s%s",
			v->what != NULL ? v->what : v->key,
			at_most ? "at most" : setting_short_text(v, v->least, least, sizeof(least)),
			at_most ? " " : " to ", setting_short_text(v, v->most, most, sizeof(most)),
			v->type == FCN_SETTING_SIZE ? " bytes" : "",
			v->step != 0 ? ", in steps of " : "",
			v->step != 0 ? setting_short_text(v, v->step, step, sizeof(step)) : "", or);
}

static uint64_t
choice_of(const struct fcn_setting_value *v, const char *word)
{
	uint64_t c = v->least;

	while (strcmp(v->name((unsigned int)c), word) != 0)
		c++;
	return c;
}

int
setting_read_number(const struct fcn_args *args, const struct fcn_setting_value *v, uint64_t *value)
{
	switch (v->type) {
	case FCN_SETTING_SWITCH:
		*value = strcmp(fcn_args_str(args, v->key), "on") == 0;
		return 0;
	case FCN_SETTING_CHOICE:
		*value = choice_of(v, fcn_args_str(args, v->key));
		return 0;
	case FCN_SETTING_CLASS:
		*value = fcn_args_u64(args, v->key, 0);
		return *value != FCN_ARG_CLASS_ALL
				       ? 0
				       : fcn_command_error(args, -EINVAL, v->key,
							 "a single class must be given, 0 to 7");
	default:
		*value = fcn_args_u64(args, v->key, 0);
		break;
	}
	if (v->most != 0 && (*value < v->least || *value > v->most))
		return outside(args, v);
	return v->step == 0 || *value % v->step == 0 ? 0 : outside(args, v);
}

static int
store_name(const struct fcn_args *args, const struct fcn_setting_value *v, void *member)
{
	const char *name = fcn_args_str(args, v->key);

	if (strlen(name) >= v->size)
		return fcn_command_error(args, -EINVAL, v->key, "%s has at most %zu characters",
				v->what != NULL ? v->what : v->key, v->size - 1);
	if (v->without != NULL && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
						  strpbrk(name, v->without) != NULL))
		return fcn_command_error(args, -EINVAL, v->key,
				"%s cannot be a name here: a name must not be . or .., or "
				"contain one of %s",
				name, v->without);
	memset(member, 0, v->size);
	memcpy(member, name, strlen(name));
	return 0;
}

static int
hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = strchr(digits, c | 0x20);

	return c == '\0' || at == NULL ? -1 : (int)(at - digits);
}

/* Store words of eight hexadecimal digits, behind their number. */
static int
store_octets(const struct fcn_args *args, const struct fcn_setting_value *v, uint8_t *member)
{
	const char *hex = fcn_args_str(args, v->key);
	const size_t len = strlen(hex);
	bool valid = len % 8 == 0 && len / 2 < v->size;

	memset(member, 0, v->size);
	for (size_t i = 0; valid && i < len; i++) {
		const int digit = hex_digit(hex[i]);

		valid = digit >= 0;
		member[1 + i / 2] = (uint8_t)(member[1 + i / 2] << 4 | (digit & 0xF));
	}
	member[0] = (uint8_t)(len / 8);
	return valid ? 0
		     : fcn_command_error(args, -EINVAL, v->key,
				       "%s must be at most %zu words of eight hexadecimal digits",
				       v->what, (v->size - 1) / 4);
}

/* Store a value that is bytes. @return 0; a negative errno after fcn_command_error() */
static int
store_bytes(const struct fcn_args *args, const struct fcn_setting_value *v, void *member)
{
	const struct fcn_addr *addr;
	const uint64_t *vlans;

	switch (v->type) {
	case FCN_SETTING_MAC:
		if (!rte_is_valid_assigned_ether_addr(fcn_args_mac(args, v->key)))
			return fcn_command_error(
					args, -EINVAL, v->key, "not a unicast MAC address");
		memcpy(member, fcn_args_mac(args, v->key), v->size);
		return 0;
	case FCN_SETTING_ADDR6:
	case FCN_SETTING_ADDR4:
		addr = fcn_args_addr(args, v->key);
		if (fcn_addr_why_no_host(addr) != NULL)
			return fcn_command_error(args, -EINVAL, v->key,
					"not the address of a host: %s",
					fcn_addr_why_no_host(addr));
		memcpy(member, addr, v->size);
		return 0;
	case FCN_SETTING_VLANS:
		vlans = fcn_args_vlans(args, v->key);
		if (vlans[0] & 1 || vlans[FCN_VLAN_WORDS - 1] >> 63)
			return fcn_command_error(args, -ERANGE, v->key, "a VLAN must be 1 to 4094");
		memcpy(member, vlans, v->size);
		return 0;
	case FCN_SETTING_OCTETS:
		return store_octets(args, v, member);
	default:
		return store_name(args, v, member);
	}
}

static int
set_value(const struct fcn_args *args, const struct setting_command *cmd,
		const struct fcn_setting_value *v, void *object)
{
	uint64_t value = v->initial;
	int rc;

	if (v - cmd->setting->value == cmd->of) {
		value = v->special[cmd->special].value;
	} else if (fcn_args_given(args, v->key)) {
		if (setting_is_bytes(v))
			return store_bytes(args, v, (uint8_t *)object + v->offset);
		rc = setting_read_number(args, v, &value);
		if (rc != 0)
			return rc;
	} else if (v->keeps) {
		return 0;
	}
	if (setting_is_bytes(v))
		memset((uint8_t *)object + v->offset, 0, v->size);
	else
		setting_put(object, v, value);
	return 0;
}

/* Set the values of a setting to their defaults. A setting that is another way to write one does
 * not repeat its defaults. */
static void
reset(const struct fcn_setting *s, void *object)
{
	if (s->alias || s->former)
		return;
	SETTING_FOREACH_VALUE(v, s)
	{
		if (!setting_is_bytes(v))
			setting_put(object, v, v->initial);
		else
			memset((uint8_t *)object + v->offset, 0, v->size);
	}
}

void
fcn_setting_defaults(const struct fcn_setting_scope *scope, void *object)
{
	for (unsigned int i = 0; i < scope->n_settings; i++)
		reset(&scope->settings[i], object);
}

/* Select one of several settings, as the command of a detector selects its type. The values of all
 * of them are reset. */
static void
select_setting(const struct setting_command *cmd, void *object)
{
	const struct fcn_setting *s = cmd->setting;

	if (s->selects.size == 0)
		return;
	for (unsigned int i = 0; i < cmd->scope->n_settings; i++) {
		const struct fcn_setting *other = &cmd->scope->settings[i];

		if (other->selects.size != 0 && other->selects.offset == s->selects.offset)
			reset(other, object);
	}
	fcn_command_store(object, s->selects.offset, s->selects.size, s->selects.value);
}

/* Find the objects that a command names. */
static int
find_objects(struct fcn_config *cfg, const struct setting_command *cmd, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	if (cmd->scope->list != NULL)
		return fcn_list_select(fcn_list_of(cmd->scope->list), cfg, args, objects);
	if (cmd->scope->select != NULL)
		return cmd->scope->select(cfg, args, objects);
	fcn_setting_add(objects, cfg);
	return 0;
}

/* Take back the selection of a setting, if it is the one that is selected. */
static void
unselect(const struct setting_command *cmd, void *object)
{
	const struct fcn_setting *s = cmd->setting;

	if (setting_load(object, s->selects.offset, s->selects.size) != s->selects.value)
		return;
	select_setting(cmd, object);
	fcn_command_store(object, s->selects.offset, s->selects.size, 0);
}

int
fcn_setting_reset(struct fcn_config *cfg, const struct fcn_args *args)
{
	const struct setting_command *cmd = fcn_args_data(args);
	const struct fcn_setting *s = cmd->setting;
	struct fcn_setting_objects objects = {.n = 0};
	int rc = find_objects(cfg, cmd, args, &objects);

	for (unsigned int i = 0; rc == 0 && i < objects.n; i++) {
		if (s->selects.size != 0) {
			unselect(cmd, objects.object[i]);
			continue;
		}
		reset(s, objects.object[i]);
		if (s->finish != NULL)
			rc = s->finish(args, objects.object[i]);
	}
	return rc;
}

int
fcn_setting_run(struct fcn_config *cfg, const struct fcn_args *args)
{
	const struct setting_command *cmd = fcn_args_data(args);
	const struct fcn_setting *s = cmd->setting;
	struct fcn_setting_objects objects = {.n = 0};
	int rc = find_objects(cfg, cmd, args, &objects);

	for (unsigned int i = 0; rc == 0 && i < objects.n; i++) {
		select_setting(cmd, objects.object[i]);
		SETTING_FOREACH_VALUE(v, s)
		{
			rc = set_value(args, cmd, v, objects.object[i]);
			if (rc != 0)
				return rc;
		}
		if (s->finish != NULL)
			rc = s->finish(args, objects.object[i]);
	}
	return rc;
}
