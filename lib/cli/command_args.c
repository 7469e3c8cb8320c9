/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdarg.h>
#include <string.h>

#include "command_private.h"

/* Find the token of an argument, or, if `words` is set, of a literal word. @return its index; -1 */
static int
find_token(const struct fcn_args *args, const char *key, bool words)
{
	unsigned int i;

	for (i = 0; i < args->inst->n_tokens; i++) {
		const struct fcn_token *token = fcn_inst_token(args->inst, i);

		if (token->key != NULL && strcmp(token->key, key) == 0)
			return (int)i;
	}
	for (i = 0; words && i < args->inst->n_tokens; i++) {
		const struct fcn_token *token = fcn_inst_token(args->inst, i);

		if (token->kind == FCN_TOKEN_WORD && strcmp(token->text, key) == 0)
			return (int)i;
	}
	return -1;
}

static const union fcn_value *
value_of(const struct fcn_args *args, const char *key, enum fcn_token_kind *kind)
{
	const struct fcn_token *token;
	int i = find_token(args, key, false);

	if (i < 0)
		return NULL;
	token = fcn_inst_token(args->inst, (unsigned int)i);
	*kind = token->kind;
	return &args->values[token->slot];
}

bool
fcn_args_has(const struct fcn_args *args, const char *key)
{
	return find_token(args, key, true) >= 0;
}

bool
fcn_args_given(const struct fcn_args *args, const char *key)
{
	return find_token(args, key, false) >= 0;
}

const char *
fcn_args_str(const struct fcn_args *args, const char *key)
{
	enum fcn_token_kind kind;
	const union fcn_value *value = value_of(args, key, &kind);

	if (value == NULL || (kind != FCN_TOKEN_NAME && kind != FCN_TOKEN_NAMES &&
					     kind != FCN_TOKEN_TEXT && kind != FCN_TOKEN_CHOICE))
		return NULL;
	return value->str;
}

uint64_t
fcn_args_u64(const struct fcn_args *args, const char *key, uint64_t fallback)
{
	enum fcn_token_kind kind;
	const union fcn_value *value = value_of(args, key, &kind);

	if (value == NULL || kind < FCN_TOKEN_NUMBER || kind > FCN_TOKEN_RATIO)
		return fallback;
	return value->u64;
}

const struct fcn_addr *
fcn_args_addr(const struct fcn_args *args, const char *key)
{
	enum fcn_token_kind kind;
	const union fcn_value *value = value_of(args, key, &kind);

	if (value == NULL || kind < FCN_TOKEN_ADDR || kind > FCN_TOKEN_ADDR4)
		return NULL;
	return &value->addr;
}

const struct fcn_prefix *
fcn_args_prefix(const struct fcn_args *args, const char *key)
{
	enum fcn_token_kind kind;
	const union fcn_value *value = value_of(args, key, &kind);

	return value == NULL || kind != FCN_TOKEN_PREFIX ? NULL : &value->prefix;
}

const struct rte_ether_addr *
fcn_args_mac(const struct fcn_args *args, const char *key)
{
	enum fcn_token_kind kind;
	const union fcn_value *value = value_of(args, key, &kind);

	return value == NULL || kind != FCN_TOKEN_MAC ? NULL : &value->mac;
}

const uint64_t *
fcn_args_vlans(const struct fcn_args *args, const char *key)
{
	enum fcn_token_kind kind;
	const union fcn_value *value = value_of(args, key, &kind);

	return value == NULL || kind != FCN_TOKEN_VLANS ? NULL : value->vlans;
}

void
fcn_command_store(void *object, size_t offset, size_t size, uint64_t value)
{
	const uint8_t u8 = (uint8_t)value;
	const uint16_t u16 = (uint16_t)value;
	const uint32_t u32 = (uint32_t)value;
	const void *from = size == sizeof(u8)    ? (const void *)&u8
			   : size == sizeof(u16) ? (const void *)&u16
			   : size == sizeof(u32) ? (const void *)&u32
						 : &value;

	memcpy((char *)object + offset, from, size);
}

const void *
fcn_args_data(const struct fcn_args *args)
{
	return args->inst->command->data;
}

int
fcn_command_error(const struct fcn_args *args, int err, const char *key, const char *fmt, ...)
{
	int i = key != NULL ? find_token(args, key, true) : -1;
	va_list ap;

	args->diag->column = args->columns[i < 0 ? 0 : i];
	va_start(ap, fmt);
	vsnprintf(args->diag->message, sizeof(args->diag->message), fmt, ap);
	va_end(ap);
	return err;
}
