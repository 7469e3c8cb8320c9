/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Parameters of the endpoint: those of a host in a scenario made for the purpose. */

#include "host_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

#define FIRST_LINES 3 /* in front of the settings */
#define PREFIX "host self "
#define PREFIX_SET "set "

/* Acknowledgements come when software gets round to it: adapters' timeout, not that of a fabric. */
#define LIVE_TIMEOUT "67ms"

static bool
is_reaction(const char *setting)
{
	return strncmp(setting, "reaction", 8) == 0;
}

static char *
scenario_of(const struct host_options *opt, uint64_t line_bps)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	fprintf(out,
			"host add self,other\nlink add self other rate %" PRIu64
			"\n" PREFIX PREFIX_SET "timeout " LIVE_TIMEOUT "\n",
			line_bps);
	for (unsigned int i = 0; i < opt->n_settings; i++)
		fprintf(out, PREFIX "%s%s\n", is_reaction(opt->setting[i]) ? "" : PREFIX_SET,
				opt->setting[i]);
	fclose(out);
	return text;
}

/* The reader's "FILE:LINE:COLUMN: message", as a mistake of an option. */
static void
say(const struct host_options *opt, char *mistakes)
{
	char *save = NULL;

	for (char *at = strtok_r(mistakes, "\n", &save); at != NULL;
			at = strtok_r(NULL, "\n", &save)) {
		unsigned int line, column;
		int end = 0;

		if (sscanf(at, "--set:%u:%u: %n", &line, &column, &end) == 2 && end > 0 &&
				line > FIRST_LINES && line - FIRST_LINES <= opt->n_settings)
			fprintf(stderr, "fastcn-lab host: --set '%s': %s\n",
					opt->setting[line - FIRST_LINES - 1], at + end);
		else
			fprintf(stderr, "fastcn-lab host: %s\n", at);
	}
}

int
host_options_endpoint(
		const struct host_options *opt, uint64_t line_bps, struct fcn_endpoint_conf *conf)
{
	char *text = scenario_of(opt, line_bps), *mistakes = NULL;
	struct lab_scenario *sc = NULL;
	size_t size;
	FILE *err = open_memstream(&mistakes, &size);

	if (text != NULL && err != NULL)
		sc = lab_scenario_load("--set", text, NULL, 0, err);
	if (err != NULL)
		fclose(err);
	if (sc != NULL)
		*conf = sc->host[0].conf;
	else if (mistakes != NULL && mistakes[0] != '\0')
		say(opt, mistakes);
	else
		fprintf(stderr, "fastcn-lab host: out of memory\n");
	free(mistakes);
	free(text);
	lab_scenario_free(sc);
	return sc != NULL ? 0 : -1;
}
