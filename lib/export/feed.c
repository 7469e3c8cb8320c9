/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stddef.h>

#include "fcn_show.h"
#include "feed.h"

/* Rows of each list. */
#define FLOWS 20
#define MISSING 50
#define WARNINGS 50
#define EVENTS 40
#define DROP_PORTS 8

#define NS_PER_MS 1000000
#define LISTS_NS UINT64_C(2500000000) /* age at which lists are made again */

/* The value of `show NAME` with at most so many rows. */
static json_t *
get(const struct fcn_show_source *source, const char *name, uint64_t rows)
{
	struct fcn_show_query query = FCN_SHOW_QUERY_ANY;

	query.number = rows;
	return fcn_show_get(source, fcn_show_find(name), &query);
}

/* The array of a row's values. @param columns object whose members are the names of the columns */
static json_t *
values(json_t *columns, json_t *item)
{
	json_t *row = json_array(), *none;
	const char *name;

	json_object_foreach (columns, name, none) {
		json_t *value = json_object_get(item, name);

		json_array_append(row, value != NULL ? value : json_null());
	}
	return row;
}

/* Make a table of the first rows of a list of objects. */
static json_t *
table(json_t *list, size_t most)
{
	json_t *all = json_object(), *columns = json_array(), *rows = json_array(), *item, *value;
	json_t *o = json_object();
	const char *name;
	size_t i;

	json_array_foreach (list, i, item) {
		if (i == most)
			break;
		json_object_foreach (item, name, value)
			json_object_set(all, name, json_null());
	}
	json_object_foreach (all, name, value)
		json_array_append_new(columns, json_string(name));
	json_array_foreach (list, i, item) {
		if (i == most)
			break;
		json_array_append_new(rows, values(all, item));
	}
	json_decref(all);
	json_object_set_new(o, "columns", columns);
	json_object_set_new(o, "rows", rows);
	if (json_array_size(list) > most)
		fcn_show_set(o, "left_out", json_array_size(list) - most);
	return o;
}

/* Add a port's drops for a reason to those of other ports. */
static void
add_drops(json_t *sum, json_t *item)
{
	const json_int_t packets = json_integer_value(json_object_get(item, "packets"));
	json_t *ports = json_object_get(sum, "ports");

	json_object_set_new(sum, "packets",
			json_integer(json_integer_value(json_object_get(sum, "packets")) +
					packets));
	if (json_array_size(ports) < DROP_PORTS)
		json_array_append_new(ports,
				json_sprintf("%s %lld",
						json_string_value(json_object_get(item, "port")),
						(long long)packets));
	else if (json_array_size(ports) == DROP_PORTS)
		json_array_append_new(ports, json_string("..."));
}

/* The value of `show drops`, summed over ports: a row for each reason. */
static json_t *
drops_by_reason(json_t *drops)
{
	json_t *sums = json_object(), *list = json_array(), *item, *sum;
	const char *reason;
	size_t i;

	json_array_foreach (drops, i, item) {
		reason = json_string_value(json_object_get(item, "reason"));
		sum = json_object_get(sums, reason);
		if (sum == NULL) {
			sum = json_pack("{s:s, s:i, s:[]}", "reason", reason, "packets", 0,
					"ports");
			if (json_object_get(item, "queues") != NULL)
				json_object_set(sum, "queues", json_object_get(item, "queues"));
			json_object_set(sum, "reason_text", json_object_get(item, "reason_text"));
			json_object_set_new(sums, reason, sum);
		}
		add_drops(sum, item);
	}
	json_object_foreach (sums, reason, sum)
		json_array_append(list, sum);
	json_decref(sums);
	return list;
}

void
feed_clear(struct feed *feed)
{
	json_decref(feed->flows);
	json_decref(feed->missing);
	json_decref(feed->drops);
	*feed = (struct feed){0};
}

static void
make_lists(struct feed *feed, const struct fcn_show_source *source, uint64_t now)
{
	json_t *flows = get(source, "flows", FLOWS);
	json_t *missing = get(source, "notify missing", UINT64_MAX);
	json_t *drops = get(source, "drops", UINT64_MAX), *reasons = drops_by_reason(drops);

	feed_clear(feed);
	feed->made_ns = now;
	feed->flows = table(flows, FLOWS);
	feed->missing = table(missing, MISSING);
	feed->drops = table(reasons, SIZE_MAX);
	json_decref(flows);
	json_decref(missing);
	json_decref(drops);
	json_decref(reasons);
}

char *
feed_write(struct feed *feed, const struct fcn_show_source *source, uint64_t now, uint64_t epoch_ns)
{
	json_t *o = json_object(), *warnings = get(source, "warnings", UINT64_MAX),
	       *events = fcn_show_event_list(source->ctl, EVENTS);
	char *text;

	if (feed->flows == NULL || now - feed->made_ns >= LISTS_NS)
		make_lists(feed, source, now);
	/* For rates: when this was made, and when the lists were. What follows is the same as long
	 * as nothing happens. */
	fcn_show_set(o, "made_ms", now / NS_PER_MS);
	fcn_show_set(o, "lists_made_ms", feed->made_ns / NS_PER_MS);
	json_object_set_new(o, FEED_CONTENT, json_string(FCN_VERSION));
	if (epoch_ns != 0)
		fcn_show_set(o, "epoch_ms", epoch_ns / NS_PER_MS);
	json_object_set_new(o, "status", get(source, "status", UINT64_MAX));
	fcn_show_feed(source->ctl, o);
	json_object_set(o, "flows", feed->flows);
	json_object_set(o, "missing", feed->missing);
	json_object_set(o, "drops", feed->drops);
	json_object_set_new(o, "warnings", table(json_object_get(warnings, "warnings"), WARNINGS));
	json_object_set_new(o, "events", table(events, EVENTS));
	text = json_dumps(o, JSON_COMPACT);
	json_decref(warnings);
	json_decref(events);
	json_decref(o);
	return text;
}
