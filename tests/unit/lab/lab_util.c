/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "lab_util.h"

struct lab_scenario *
load(const char *text, const struct lab_setting *set, unsigned int n_set, char **said)
{
	size_t size;
	FILE *err = open_memstream(said, &size);
	struct lab_scenario *sc;

	assert_non_null(err);
	sc = lab_scenario_load("x.lab", text, set, n_set, err);
	assert_int_equal(fclose(err), 0);
	return sc;
}

struct lab_scenario *
good(const char *text)
{
	char *said;
	struct lab_scenario *sc = load(text, NULL, 0, &said);

	assert_string_equal(said, "");
	assert_non_null(sc);
	free(said);
	return sc;
}

void
bad(const char *text, const char *expected)
{
	char *said, line[700];

	assert_null(load(text, NULL, 0, &said));
	snprintf(line, sizeof(line), "%s\n", expected);
	assert_string_equal(said, line);
	free(said);
}
