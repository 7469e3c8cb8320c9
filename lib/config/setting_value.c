/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Values of settings: in the member that stores them, and as text. */

#include <inttypes.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_render.h"
#include "setting_private.h"

uint64_t
setting_load(const void *object, size_t offset, size_t size)
{
	const uint8_t *at = (const uint8_t *)object + offset;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		return *at;
	case 2:
		memcpy(&v16, at, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, at, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, at, sizeof(v64));
		return v64;
	}
}

uint64_t
setting_get(const void *object, const struct fcn_setting_value *v)
{
	uint64_t member = setting_load(object, v->offset, v->size);

	return v->mask == 0 ? member : (member & v->mask) != 0;
}

void
setting_put(void *object, const struct fcn_setting_value *v, uint64_t value)
{
	uint64_t member = value;

	if (v->mask != 0) {
		member = setting_load(object, v->offset, v->size);
		member = value != 0 ? member | v->mask : member & ~v->mask;
	}
	fcn_command_store(object, v->offset, v->size, member);
}

static bool
is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

bool
setting_is(const void *object, const struct fcn_setting_value *v, uint64_t value)
{
	uint64_t mask = v->size >= sizeof(value) ? UINT64_MAX : (UINT64_C(1) << 8 * v->size) - 1;

	if (setting_is_bytes(v))
		return is_zero((const uint8_t *)object + v->offset, v->size);
	return setting_get(object, v) == (value & mask);
}

bool
setting_is_selected(const struct fcn_setting *s, const void *object)
{
	return s->selects.size == 0 ||
	       setting_load(object, s->selects.offset, s->selects.size) == s->selects.value;
}

const struct fcn_setting_special *
setting_special(const void *object, const struct fcn_setting_value *v)
{
	for (unsigned int i = 0; i < FCN_SETTING_SPECIALS && v->special[i].word != NULL; i++)
		if (setting_is(object, v, v->special[i].value))
			return &v->special[i];
	return NULL;
}

const char *
setting_text(const struct fcn_setting_value *v, uint64_t value, char *buf, size_t size)
{
	switch (v->type) {
	case FCN_SETTING_HEX:
		snprintf(buf, size, "0x%02" PRIx64, value);
		return buf;
	case FCN_SETTING_RATE:
		return fcn_format_rate(value, buf, size);
	case FCN_SETTING_TIME:
		return fcn_format_time(value, buf, size);
	case FCN_SETTING_RATIO:
		return fcn_format_ratio(value, buf, size);
	case FCN_SETTING_SWITCH:
		return value != 0 ? "on" : "off";
	case FCN_SETTING_CHOICE:
		return v->name((unsigned int)value);
	default:
		snprintf(buf, size, "%" PRIu64, value);
		return buf;
	}
}

const char *
setting_mac_text(const struct rte_ether_addr *mac, char text[RTE_ETHER_ADDR_FMT_SIZE])
{
	const uint8_t *b = mac->addr_bytes;

	snprintf(text, RTE_ETHER_ADDR_FMT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2],
			b[3], b[4], b[5]);
	return text;
}

static void
write_vlans(const uint64_t *set, FILE *out)
{
	const char *sep = "";

	for (unsigned int v = 1; v < FCN_VLANS; v++) {
		unsigned int last = v;

		if (!fcn_vlan_is_set(set, v))
			continue;
		while (last + 1 < FCN_VLANS && fcn_vlan_is_set(set, last + 1))
			last++;
		if (last == v)
			fprintf(out, "%s%u", sep, v);
		else
			fprintf(out, "%s%u-%u", sep, v, last);
		sep = ",";
		v = last;
	}
}

static void
write_segments(const struct fcn_segment_list *list, FILE *out)
{
	char text[FCN_ADDR_STRLEN];

	for (unsigned int i = 0; i < list->n; i++) {
		struct fcn_addr sid = {.version = 6};

		memcpy(sid.bytes, list->segment[i], sizeof(sid.bytes));
		fprintf(out, "%s%s", i > 0 ? "," : "", fcn_addr_format(&sid, text, sizeof(text)));
	}
}

void
setting_write_bytes(const struct fcn_setting_value *v, const void *object, FILE *out)
{
	const void *member = (const uint8_t *)object + v->offset;
	char text[FCN_PREFIX_STRLEN];

	switch (v->type) {
	case FCN_SETTING_MAC:
		fputs(setting_mac_text(member, text), out);
		break;
	case FCN_SETTING_ADDR6:
	case FCN_SETTING_ADDR4:
	case FCN_SETTING_ADDR:
		fputs(fcn_addr_format(member, text, sizeof(text)), out);
		break;
	case FCN_SETTING_PREFIX:
	case FCN_SETTING_ADDR_LEN:
		fputs(fcn_prefix_format(member, text, sizeof(text)), out);
		break;
	case FCN_SETTING_VLANS:
		write_vlans(member, out);
		break;
	case FCN_SETTING_OCTETS:
		for (unsigned int i = 1; i <= 4u * *(const uint8_t *)member; i++)
			fprintf(out, "%02x", ((const uint8_t *)member)[i]);
		break;
	case FCN_SETTING_SEGMENTS:
		write_segments(member, out);
		break;
	default:
		fputs(member, out);
		break;
	}
}

const char *
setting_short_text(const struct fcn_setting_value *v, uint64_t value, char *buf, size_t size)
{
	static const struct {
		uint64_t unit;
		char letter;
	} units[] = {{1000000000000, 'T'}, {1000000000, 'G'}, {1000000, 'M'}, {1000, 'K'}};

	if (v->type != FCN_SETTING_COUNT && v->type != FCN_SETTING_SIZE)
		return setting_text(v, value, buf, size);
	for (unsigned int i = 0; i < RTE_DIM(units); i++) {
		if (value == 0 || value % units[i].unit != 0)
			continue;
		snprintf(buf, size, "%" PRIu64 "%c", value / units[i].unit, units[i].letter);
		return buf;
	}
	return setting_text(v, value, buf, size);
}
