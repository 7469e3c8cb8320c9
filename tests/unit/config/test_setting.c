/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A setting is one line in a table: what it is written like, its help, its range, its line when it
 * is saved and its member when it is shown come from there. The settings of this test are of a
 * struct of its own; what holds for any setting is asked of all that the switch has.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_config_scopes.h"
#include "fcn_render.h"
#include "fcn_test.h"
#include "setting_private.h"
#include "setting_table.h"

struct thing {
	uint8_t flags;
	int8_t strict;
	uint16_t number;
	uint32_t size;
	uint32_t packets;
	uint64_t time;
	uint64_t ratio;
	uint8_t class;
	char name[8];
	struct rte_ether_addr mac;
	struct fcn_addr addr;
	uint64_t vlans[FCN_VLAN_WORDS];
	uint8_t type;
	uint32_t step;
	uint32_t low, high;
	uint32_t room, room_packets;
};

#define IN(member) FCN_SETTING_MEMBER(struct thing, member)
#define OF_TYPE(of) FCN_SETTING_SELECTS(struct thing, type, of)

static struct thing thing;

static int
check_red(const struct fcn_args *args, void *object)
{
	const struct thing *t = object;

	return t->low <= t->high ? 0 : fcn_command_error(args, -EINVAL, "low", "low is above high");
}

static const struct fcn_setting settings[] = {
		{"flag", "One bit of several", {SWITCH(flags, .mask = 4, SHOW("flag"))}},
		{"strict", "Go first",
				{SWITCH(strict, .initial = UINT64_MAX,
						.special = {OR("auto", UINT64_MAX,
								"As it fits")})}},
		{"number", "A number", {NUMBER("n", number, 1, 1000, "a number", .initial = 7)},
				.always = true},
		{"limit", "A limit",
				{SIZE("bytes", size, 1, 1000000000, "a limit", .initial = 1000000,
						 SHOW("limit_bytes")),
						COUNT("packets", packets, 1, 65536, "packets",
								.word = "packets", KEPT,
								.initial = 4096)}},
		{"limit packets", "The same", {COUNT("packets", packets, 1, 65536, "packets")},
				.alias = true},
		{"room", "A room",
				{SIZE("bytes", room, 1, 1000, "a room", .initial = UINT32_MAX,
						 .special = {OR("auto", UINT32_MAX, "As it fits")}),
						COUNT("packets", room_packets, 1, 100, "packets",
								.word = "packets", KEPT,
								.initial = UINT32_MAX,
								.initial_text = "as many")}},
		{"pause", "A time",
				{TIME("time", time, 1000, 1000000, "a time", .word = "sleep",
						.initial = 2000,
						.special = {OR("spin", 0, "None")})}},
		{"part", "A part",
				{RATIO("part", ratio, 1000000, 1000000000, "a part",
						.initial = 200000000, .step = 1000000,
						SHOW("part"))}},
		{"class", "A class", {CLASS(class, .initial = 3)}},
		{"name", "A name",
				{NAME("name", name, "a name",
						.special = {OR("none", 0, "No name")})}},
		{"mac", "A MAC address", {MAC("mac", mac, SHOW("mac"))}},
		{"addr", "An address",
				{ADDR6("addr", addr, SHOW("addr"),
						.special = {OR("none", 0, "No address")})}},
		{"vlans", "VLANs",
				{VLANS("vlans", vlans, SHOW("vlans"),
						.special = {OR("none", 0, "No VLAN")})}},
		{"old-flag", "What it was called", {SWITCH(flags, .mask = 4)}, .former = true},
		{"by step", "A step",
				{SIZE("step", step, 1, 100, "a step", .word = "at", OPTIONAL,
						.initial = 50)},
				OF_TYPE(1)},
		{"by red", "Low and high",
				{SIZE("low", low, 1, 100, "low", .word = "low", OPTIONAL,
						 .initial = 10),
						SIZE("high", high, 1, 100, "high", .word = "high",
								OPTIONAL, .initial = 20)},
				OF_TYPE(2), check_red},
		{"by nothing", "Neither", OF_TYPE(0)},
};

static int
select_thing(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	RTE_SET_USED(cfg);
	RTE_SET_USED(args);
	fcn_setting_add(objects, &thing);
	return 0;
}

static void
each_thing(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	RTE_SET_USED(cfg);
	visit(arg, &thing, scope->head);
}

static const struct fcn_setting_scope scope = {
		.title = "Things",
		.syntax = "set thing",
		.show = "thing",
		.head = "set thing",
		FCN_SETTING_TABLE(settings, OPERATE),
		.select = select_thing,
		.each = each_thing,
};

static struct fcn_command_table *table;
static struct fcn_diag diag;

static int
set(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(session);
	return fcn_setting_run(NULL, args);
}

static int
setup(void **state)
{
	struct fcn_command_group group;

	RTE_SET_USED(state);
	memset(&thing, 0, sizeof(thing));
	fcn_setting_defaults(&scope, &thing);
	if (fcn_setting_commands(&scope, set, NULL, &group) != 0)
		return -1;
	table = fcn_command_table_create(&group, 1);
	return table == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_command_table_free(table);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

static int
line(const char *text)
{
	return fcn_command_run(table, NULL, text, FCN_COMMAND_ALLOW_ALL, &diag);
}

/* To be freed. */
static char *
saved(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fcn_setting_save(&scope, NULL, true, out);
	fclose(out);
	return text;
}

static void
assert_saved(const char *want)
{
	char *text = saved();

	assert_string_equal(text, want);
	free(text);
}

TEST(values)
{
	assert_saved("set thing number 7\n");
	assert_int_equal(line("set thing flag on"), 0);
	assert_int_equal(thing.flags, 4);
	thing.flags |= 1;
	assert_int_equal(line("set thing flag off"), 0);
	assert_int_equal(thing.flags, 1);
	assert_int_equal(line("set thing strict off"), 0);
	assert_int_equal(line("set thing limit 2K packets 5"), 0);
	assert_int_equal(line("set thing limit 64Ki"), 0);
	assert_int_equal(thing.size, 65536);
	assert_int_equal(thing.packets, 5);
	assert_int_equal(line("set thing limit packets 6"), 0);
	assert_int_equal(line("set thing pause spin"), 0);
	assert_int_equal(line("set thing part 25%"), 0);
	assert_int_equal(line("set thing class 5"), 0);
	assert_int_equal(line("set thing name abcdefg"), 0);
	assert_saved("set thing strict off\n"
		     "set thing number 7\n"
		     "set thing limit 65536 packets 6\n"
		     "set thing pause spin\n"
		     "set thing part 0.25\n"
		     "set thing class 5\n"
		     "set thing name abcdefg\n");
	assert_int_equal(line("set thing strict auto"), 0);
	assert_int_equal(thing.strict, -1);
	assert_int_equal(line("set thing pause sleep 2us"), 0);
	assert_int_equal(line("set thing limit 1M packets 4096"), 0);
	assert_int_equal(line("set thing part 0.2"), 0);
	assert_int_equal(line("set thing class 3"), 0);
	assert_int_equal(line("set thing name none"), 0);
	assert_saved("set thing number 7\n");
}

/* A word in the place of the first value, and a second one that stays as it is: both can be
 * computed, or either of them be set. */
TEST(computed)
{
	assert_int_equal(line("set thing room 100"), 0);
	assert_int_equal(thing.room_packets, UINT32_MAX);
	assert_saved("set thing number 7\nset thing room 100\n");
	assert_int_equal(line("set thing room 100 packets 9"), 0);
	assert_int_equal(line("set thing room 200"), 0);
	assert_saved("set thing number 7\nset thing room 200 packets 9\n");
	assert_int_equal(line("set thing room auto"), 0);
	assert_int_equal(thing.room, UINT32_MAX);
	assert_saved("set thing number 7\nset thing room auto packets 9\n");
	assert_int_equal(line("set thing room auto packets 8"), 0);
	assert_int_equal(thing.room_packets, 8);
}

TEST(outside)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
			{"set thing number 0", "a number must be 1 to 1000"},
			{"set thing number 1001", "a number must be 1 to 1000"},
			{"set thing limit 2G", "a limit must be 1 to 1G bytes"},
			{"set thing limit 5 packets 65537", "packets must be 1 to 65536"},
			{"set thing pause sleep 999ns", "a time must be 1us to 1ms, or spin"},
			{"set thing part 0.0015", "a part must be 0.001 to 1, in steps of 0.001"},
			{"set thing class all", "a single class must be given, 0 to 7"},
			{"set thing name abcdefgh", "a name has at most 7 characters"},
			{"set thing by red low 21", "low is above high"},
			{"set thing mac 01:00:00:00:00:01", "not a unicast MAC address"},
			{"set thing mac 00:00:00:00:00:00", "not a unicast MAC address"},
			{"set thing addr ff02::1",
					"not the address of a host: a multicast address"},
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		assert_true(line(cases[i].line) < 0);
		assert_string_equal(diag.message, cases[i].said);
	}
}

/* Values that are bytes: set, saved, shown, and taken away again. */
TEST(bytes)
{
	json_t *o = json_object(), *want;

	assert_int_equal(line("set thing mac 02:00:0a:bc:00:01"), 0);
	assert_memory_equal(&thing.mac, "\x02\x00\x0a\xbc\x00\x01", 6);
	assert_int_equal(line("set thing addr 2001:db8:0::1"), 0);
	assert_int_equal(line("set thing vlans 4094,1,7-9,8-10"), 0);
	assert_saved("set thing number 7\n"
		     "set thing mac 02:00:0a:bc:00:01\n"
		     "set thing addr 2001:db8::1\n"
		     "set thing vlans 1,7-10,4094\n");
	fcn_setting_show(&scope, "thing", &thing, NULL, o);
	assert_string_equal(json_string_value(json_object_get(o, "mac")), "02:00:0a:bc:00:01");
	assert_string_equal(json_string_value(json_object_get(o, "addr")), "2001:db8::1");
	want = json_pack("[iiiiii]", 1, 7, 8, 9, 10, 4094);
	assert_true(json_equal(json_object_get(o, "vlans"), want));
	json_decref(want);
	/* the second value replaces the first */
	assert_int_equal(line("set thing vlans 2"), 0);
	assert_int_equal(line("set thing addr none"), 0);
	assert_saved("set thing number 7\n"
		     "set thing mac 02:00:0a:bc:00:01\n"
		     "set thing vlans 2\n");
	assert_int_equal(line("set thing vlans none"), 0);
	fcn_setting_show(&scope, "thing", &thing, NULL, o);
	assert_true(json_is_null(json_object_get(o, "addr")));
	assert_int_equal(json_array_size(json_object_get(o, "vlans")), 0);
	json_decref(o);
	fcn_setting_defaults(&scope, &thing);
	assert_saved("set thing number 7\n");
}

/* One of several commands says which of them holds; nothing is left of the others. */
TEST(selects)
{
	assert_int_equal(line("set thing by step at 9"), 0);
	assert_int_equal(thing.type, 1);
	assert_saved("set thing number 7\nset thing by step at 9\n");
	assert_int_equal(line("set thing by red high 30"), 0);
	assert_int_equal(thing.step, 50);
	assert_saved("set thing number 7\nset thing by red high 30\n");
	assert_int_equal(line("set thing by step"), 0);
	assert_saved("set thing number 7\nset thing by step\n");
	assert_int_equal(line("set thing by nothing"), 0);
	assert_saved("set thing number 7\n");
}

TEST(help)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fcn_command_reference_body(table, out);
	fclose(out);
	assert_non_null(strstr(text, "### `set thing limit <bytes:size> [packets "
				     "<packets:count>]`\n\nA limit (default 1M, packets 4096)."));
	assert_non_null(strstr(text, "### `set thing strict auto`\n\nAs it fits (default)."));
	assert_non_null(strstr(text, "### `set thing pause spin`\n\nNone."));
	assert_non_null(strstr(text, "Low and high (default low 10, high 20)."));
	assert_non_null(strstr(text, "Neither (default)."));
	assert_non_null(strstr(text, "No name (default)."));
	/* a former word is understood, and named nowhere */
	assert_null(strstr(text, "old-flag"));
	free(text);
	assert_int_equal(line("set thing old-flag on"), 0);
	assert_int_equal(thing.flags, 4);
	assert_true(line("set thing wrong") < 0);
	assert_null(strstr(diag.message, "old-flag"));
	assert_non_null(strstr(diag.message, "flag"));
	assert_saved("set thing flag on\nset thing number 7\n");
}

TEST(show)
{
	json_t *o = json_object();

	fcn_setting_show(&scope, "thing", &thing, NULL, o);
	assert_int_equal(json_object_size(o), 6);
	assert_true(json_is_false(json_object_get(o, "flag")));
	assert_int_equal(json_integer_value(json_object_get(o, "limit_bytes")), 1000000);
	assert_float_equal(json_real_value(json_object_get(o, "part")), 0.2, 0);
	json_decref(o);
}

/* ---- the settings of the switch ---- */

static const struct fcn_setting_scope *const scopes[] = {FCN_CONFIG_SCOPES(FCN_SCOPE_ADDRESS)};

static bool
is_special(const struct fcn_setting_value *v, uint64_t value)
{
	for (unsigned int i = 0; i < FCN_SETTING_SPECIALS && v->special[i].word != NULL; i++)
		if (v->special[i].value == value)
			return true;
	return false;
}

static void
check_switch(const char *name)
{
	char want[128], *text = NULL;
	json_t *o = json_pack("{s:b}", name, true);
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fcn_render_text(o, out);
	fclose(out);
	json_decref(o);
	snprintf(want, sizeof(want), "%s: on\n", name);
	assert_string_equal(text, want);
	free(text);
}

/* What is set by the words on and off is shown by them, too, in text. */
TEST_WITH(switches, NULL, NULL)
{
	unsigned int n = 0;

	for (size_t s = 0; s < RTE_DIM(scopes); s++) {
		for (unsigned int i = 0; i < scopes[s]->n_settings; i++) {
			SETTING_FOREACH_VALUE(v, &scopes[s]->settings[i])
			{
				for (unsigned int k = 0; k < FCN_SETTING_SHOWN; k++) {
					if (v->type != FCN_SETTING_SWITCH ||
							v->show[k].name == NULL)
						continue;
					check_switch(v->show[k].name);
					n++;
				}
			}
		}
	}
	assert_true(n > 10);
}

/* A default is a value that could be set, or help says in words what it is. */
static void
check_value(const struct fcn_setting_scope *s, const struct fcn_setting *setting,
		const struct fcn_setting_value *v)
{
	const bool inside = v->most == 0 || (v->initial >= v->least && v->initial <= v->most);

	if (v->key == NULL || (!setting_is_bytes(v) && v->size > sizeof(uint64_t)))
		fail_msg("%s %s: a value without a key or a place", s->syntax, setting->words);
	if (!inside && !is_special(v, v->initial) && v->initial_text == NULL && !setting->alias)
		fail_msg("%s %s: the default of %s is outside its range", s->syntax, setting->words,
				v->key);
	if (v->type == FCN_SETTING_CHOICE && v->name == NULL)
		fail_msg("%s %s: %s has no words", s->syntax, setting->words, v->key);
}

TEST_WITH(of_the_switch, NULL, NULL)
{
	unsigned int n = 0;

	for (size_t i = 0; i < RTE_DIM(scopes); i++) {
		assert_true((scopes[i]->select == NULL) == (scopes[i]->each == NULL));
		for (unsigned int k = 0; k < scopes[i]->n_settings; k++, n++) {
			const struct fcn_setting *s = &scopes[i]->settings[k];

			assert_non_null(s->words);
			assert_non_null(s->help);
			assert_int_not_equal(s->help[strlen(s->help) - 1], '.');
			for (unsigned int j = 0; j < FCN_SETTING_VALUES &&
						 s->value[j].type != FCN_SETTING_NONE;
					j++)
				check_value(scopes[i], s, &s->value[j]);
		}
	}
	assert_true(n > 80);
}

/* A copy of the object that settings are tried on: large enough for that of any scope. */
static struct fcn_config object;
/* The effective values beside it. */
static uint8_t in_force[sizeof(struct fcn_config)];

/* Show an object in the part that has a member. */
static json_t *
shown(const struct fcn_setting_scope *s, const struct fcn_setting_shown *member, const void *force)
{
	json_t *o = json_object();

	fcn_setting_show(s, member->part != NULL ? member->part : s->show, &object, force, o);
	return o;
}

/* Fail unless a member, and no other, differs between two objects. Deletes both. */
static void
assert_changed(json_t *before, json_t *after, const struct fcn_setting_shown *member)
{
	assert_non_null(json_object_get(before, member->name));
	if (json_equal(json_object_get(before, member->name), json_object_get(after, member->name)))
		fail_msg("%s does not follow its setting", member->name);
	json_object_del(before, member->name);
	json_object_del(after, member->name);
	if (!json_equal(before, after))
		fail_msg("%s is not all that changes: %s", member->name, json_dumps(after, 0));
	json_decref(before);
	json_decref(after);
}

static void
change(const struct fcn_setting_value *v)
{
	const uint64_t value = setting_is_bytes(v) ? 0 : setting_get(&object, v);

	if (v->type == FCN_SETTING_ADDR6)
		((uint8_t *)&object)[v->offset] = 6; /* the version */
	else if (setting_is_bytes(v))
		((uint8_t *)&object)[v->offset] = 'x';
	else if (v->type == FCN_SETTING_SWITCH || v->type == FCN_SETTING_CLASS)
		setting_put(&object, v, value == 0);
	else
		setting_put(&object, v, value != v->most ? v->most : v->least);
}

/* Select a setting, and set all values to their defaults. */
static void
select_in_object(const struct fcn_setting_scope *s, const struct fcn_setting *setting)
{
	memset(&object, 0, sizeof(object));
	fcn_setting_defaults(s, &object);
	if (setting != NULL && setting->selects.size != 0)
		fcn_command_store(&object, setting->selects.offset, setting->selects.size,
				setting->selects.value);
}

/* What a member shows changes with the value, and with the effective value where there is one. */
static void
check_member(const struct fcn_setting_scope *s, const struct fcn_setting *setting,
		const struct fcn_setting_value *v, const struct fcn_setting_shown *member)
{
	json_t *before;

	assert_true(member->part != NULL || s->show != NULL);
	select_in_object(s, setting);
	before = shown(s, member, NULL);
	change(v);
	assert_changed(before, shown(s, member, NULL), member);
	if (v->in_force.size == 0)
		return;
	select_in_object(s, setting);
	memset(in_force, 0, sizeof(in_force));
	before = shown(s, member, in_force);
	in_force[v->in_force.offset] = 1;
	assert_changed(before, shown(s, member, in_force), member);
}

/* A value is shown by name, or its table says why no `show` has it. */
static void
check_shown(const struct fcn_setting_scope *s, const struct fcn_setting *setting,
		const struct fcn_setting_value *v)
{
	bool any = false;

	for (unsigned int i = 0; i < FCN_SETTING_SHOWN && v->show[i].name != NULL; i++) {
		any = true;
		check_member(s, setting, v, &v->show[i]);
	}
	if (any == (v->not_shown != NULL))
		fail_msg("%s %s: %s", s->syntax, setting != NULL ? setting->words : "",
				any ? "it is shown, and the table says why it is not"
				    : "no show has it, and the table does not say why");
}

TEST_WITH(shown_or_why_not, NULL, NULL)
{
	unsigned int n = 0;

	for (size_t i = 0; i < RTE_DIM(scopes); i++) {
		const struct fcn_setting_scope *s = scopes[i];

		for (unsigned int k = 0; k < s->n_settings; k++) {
			const struct fcn_setting *setting = &s->settings[k];

			assert_true(setting->selects.size == 0 || s->selected != NULL);
			if (setting->alias || setting->former)
				continue;
			SETTING_FOREACH_VALUE(v, setting)
			{
				check_shown(s, setting, v);
				n++;
			}
		}
		if (s->selected != NULL)
			check_shown(s, NULL, s->selected);
	}
	assert_true(n > 100);
}
