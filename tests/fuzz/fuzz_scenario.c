/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Scenarios from anybody: the first byte says whether the others are lines, lines of a network that
 * is there, an expectation, or text with parameters.
 */

#include <math.h>

#include "expression.h"
#include "scenario.h"
#include "workload.h"
#include "fuzz.h"

static const char network[] = "param n 2\n"
			      "host add h[1-$n],r\n"
			      "switch add s,t\n"
			      "link add h[1-$n],r s rate 10G\n"
			      "link add s t\n"
			      "duration 1us\n"
			      "let K = 4us\n";

/* What others rely on, of any scenario that was taken. */
static void
check_scenario(const struct lab_scenario *sc)
{
	struct lab_expression_error err;
	unsigned int i;

	for (i = 0; i < sc->n_flows; i++) {
		require(sc->flow[i].from < sc->n_hosts && sc->flow[i].to < sc->n_hosts);
		require(sc->flow[i].from != sc->flow[i].to);
		require(sc->flow[i].bytes > 0 && sc->flow[i].dscp < 64);
	}
	for (i = 0; i < sc->n_hosts; i++)
		require(sc->host[i].conf.line_bps > 0 && sc->host[i].conf.max_qps <= 65536);
	for (i = 0; i < sc->n_actions; i++)
		require(i == 0 || sc->action[i - 1].time_ns <= sc->action[i].time_ns);
	for (i = 0; i < sc->n_watches; i++)
		require(sc->watch[i].node < sc->n_switches && sc->watch[i].class < 8);
	for (i = 0; i < sc->n_expects; i++)
		require(lab_expectation_check(sc->expect[i].text, &err) == 0);
}

static void
fuzz_scenario(const char *before, const char *text, FILE *err)
{
	static struct fcn_command_table *table;
	char *all;
	struct lab_scenario *sc;

	require(asprintf(&all, "%s%s", before, text) >= 0);
	if (table == NULL)
		table = lab_scenario_commands();
	require(table != NULL);
	sc = lab_scenario_read(table, "fuzz.lab", all, NULL, 0, err);
	if (sc != NULL)
		check_scenario(sc);
	lab_scenario_free(sc);
	free(all);
}

static void
check_error(const char *text, const struct lab_expression_error *err)
{
	require(err->column >= 1 && err->column <= strlen(text) + 1);
	require(err->message[0] != '\0');
	require(memchr(err->message, '\0', sizeof(err->message)) != NULL);
}

static void
fuzz_expression(const char *text)
{
	struct lab_expression_error err;
	struct lab_outcome o;
	json_t *result = json_pack("{s:i,s:[{s:i},{s:i}]}", "n", 8, "flows", "bps", 1, "bps", 2);
	double value;

	require(result != NULL);
	if (lab_expectation_run(text, result, &o, &err) != 0)
		check_error(text, &err);
	else
		require(lab_expectation_check(text, &err) == 0);
	if (lab_expectation_check(text, &err) != 0)
		check_error(text, &err);
	if (lab_expression_value(text, result, &value, &err) != 0)
		check_error(text, &err);
	else
		require(isfinite(value));
	json_decref(result);
}

static void
fuzz_sizes(const char *text)
{
	struct lab_sizes sizes;
	char err[100];

	if (lab_sizes_read(text, &sizes, err, sizeof(err)) != 0)
		return;
	require(lab_sizes_mean(&sizes) > 0);
	require(lab_sizes_at(&sizes, 0) >= 1);
	require(lab_sizes_at(&sizes, 0.5) <= (uint64_t)1 << 40);
	lab_sizes_free(&sizes);
}

static void
fuzz_expand(const char *text)
{
	struct lab_param param = {.name = "n", .value = (char *)(uintptr_t) "4us"};
	struct lab_scenario sc = {.param = &param, .n_params = 1};
	char err[100], *out = lab_scenario_expand(&sc, text, err, sizeof(err));

	free(out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	char *text;

	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	if (size == 0 || nowhere == NULL)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	require(text != NULL);
	switch (data[0] % 8) {
	case 0:
		fuzz_scenario("", text, nowhere);
		break;
	case 1:
	case 2:
		fuzz_expression(text);
		break;
	case 3:
		fuzz_expand(text);
		break;
	case 4:
		fuzz_sizes(text);
		break;
	default:
		fuzz_scenario(network, text, nowhere);
		break;
	}
	free(text);
	return 0;
}
