/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "measure_private.h"

static void
set(json_t *o, const char *name, uint64_t value)
{
	json_object_set_new(o, name, json_integer((json_int_t)value));
}

static json_t *
head(const struct lab_measure *m, const struct lab_totals *t)
{
	const struct lab_scenario *sc = m->sc;
	json_t *o = json_object(), *param = json_object(), *lines = json_array();
	json_t *files = json_array();

	json_object_set_new(o, "title", json_string(sc->title != NULL ? sc->title : ""));
	set(o, "seed", sc->seed);
	for (unsigned int i = 0; i < sc->n_params; i++)
		if (sc->param[i].declared)
			json_object_set_new(
					param, sc->param[i].name, json_string(sc->param[i].value));
	json_object_set_new(o, "parameters", param);
	for (unsigned int i = 0; i < sc->n_lines; i++)
		json_array_append_new(lines, json_string(sc->line[i]));
	if (sc->n_lines > 0)
		json_object_set(o, "lines", lines);
	json_decref(lines);
	for (unsigned int i = 0; i < sc->n_read; i++)
		json_array_append_new(files, json_string(sc->read[i]));
	if (sc->n_read > 0)
		json_object_set_new(o, "files", files);
	else
		json_decref(files);
	set(o, "end_ns", t->now);
	set(o, "settle_ns", sc->settle_ns);
	set(o, "frames", t->frames);
	set(o, "events", t->events);
	json_object_set_new(o, "interrupted", json_boolean(t->interrupted));
	return o;
}

static json_int_t
number_of(const json_t *value)
{
	json_int_t n = json_integer_value(value);
	json_t *member;
	size_t i;

	json_array_foreach (value, i, member)
		n += json_integer_value(member);
	return n;
}

/*
 * Add the numbers in an object to those of the same names in another one. All elements of a list
 * are added up.
 */
static void
add_numbers(json_t *sum, json_t *one)
{
	const char *key;
	json_t *value, *known;

	json_object_foreach (one, key, value) {
		known = json_object_get(sum, key);
		if (json_is_object(value)) {
			if (known == NULL)
				json_object_set_new(sum, key, known = json_object());
			add_numbers(known, value);
		} else if (json_is_integer(value) || json_is_array(value)) {
			json_object_set_new(sum, key,
					json_integer(json_integer_value(known) + number_of(value)));
		}
	}
}

static json_t *
sum_of(json_t *list)
{
	json_t *sum = json_object(), *one;
	size_t i;

	json_array_foreach (list, i, one)
		add_numbers(sum, one);
	return sum;
}

/* Make an object of the elements of a list, with their names as keys. */
static json_t *
named(json_t *list, const char *(*name)(const struct lab_scenario *, unsigned int, char *, size_t),
		const struct lab_scenario *sc, unsigned int n)
{
	json_t *o = json_object(), *one;
	char buf[3 * LAB_NAME_LEN];
	size_t i;

	json_array_foreach (list, i, one)
		if (i < n)
			json_object_set(o, name(sc, (unsigned int)i, buf, sizeof(buf)), one);
	return o;
}

static const char *
host_name(const struct lab_scenario *sc, unsigned int i, char *buf, size_t size)
{
	(void)buf, (void)size;
	return sc->host[i].name;
}

static const char *
switch_name(const struct lab_scenario *sc, unsigned int i, char *buf, size_t size)
{
	(void)buf, (void)size;
	return sc->node_switch[i].name;
}

static const char *
link_name(const struct lab_scenario *sc, unsigned int i, char *buf, size_t size)
{
	lab_link_label(sc, i / 2, i % 2, buf, size);
	return buf;
}

/* Add the lists in the totals of the run to the result: by name, and their sums. */
static void
set_totals(json_t *result, const struct lab_scenario *sc, struct lab_totals *t)
{
	json_object_set_new(result, "hosts", sum_of(t->hosts));
	json_object_set_new(result, "links", sum_of(t->links));
	json_object_set_new(result, "host", named(t->hosts, host_name, sc, sc->n_hosts));
	json_object_set_new(result, "switch", named(t->switches, switch_name, sc, sc->n_switches));
	json_object_set_new(result, "link", named(t->links, link_name, sc, 2 * sc->n_links));
	if (t->goals != NULL)
		json_object_set_new(result, "goal", t->goals);
	if (t->generators != NULL)
		json_object_set_new(result, "generator", t->generators);
	json_object_set_new(
			result, "violations", t->violations != NULL ? t->violations : json_array());
	json_decref(t->hosts);
	json_decref(t->switches);
	json_decref(t->links);
	t->hosts = t->switches = t->links = t->goals = t->generators = t->violations = NULL;
}

json_t *
lab_measure_result(struct lab_measure *m, struct lab_totals *totals)
{
	json_t *result = head(m, totals);

	measure_queue_finish(m, totals->now);
	measure_flow_finish(m, totals->now);
	json_object_set_new(result, "queue", measure_queue_result(m));
	measure_flow_result(m, result, totals->now);
	json_object_set_new(result, "phase", measure_phase_result(m, totals->now));
	json_object_set_new(result, "notices", measure_notice_result(m));
	json_object_set_new(result, "cnps", measure_cnp_result(m));
	json_object_set_new(result, "pfc", measure_pause_result(m, totals->now));
	if (m->repair.weight > 0)
		json_object_set_new(result, "repair_ns", lab_distribution_json(&m->repair, 1));
	m->failed |= m->repair.failed;
	set_totals(result, m->sc, totals);
	if (m->failed)
		json_object_set_new(result, "out_of_memory", json_true());
	return result;
}
