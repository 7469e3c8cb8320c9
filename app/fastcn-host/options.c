/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* The options: name, word for the value or NULL, help. */
#define OPTIONS(X)                                                                                 \
	X(SWITCH, "switch", "ADDRESS", "Tell the switch whose fastcn-qpd has this address")        \
	X(PORT, "port", "NUMBER", "Port of fastcn-qpd")                                            \
	X(CA, "ca", "FILE", "Certificate of who has signed that of the switch, PEM")               \
	X(CERTIFICATE, "certificate", "FILE", "Certificate of this host, PEM")                     \
	X(KEY, "key", "FILE", "Key of the certificate, PEM")                                       \
	X(NAME, "name", "NAME",                                                                    \
			"Name that the certificate of the switch must have (default: its "         \
			"address)")                                                                \
	X(INTERVAL, "interval", "TIME",                                                            \
			"Time between two looks at all queue pairs, such as 500ms or 2s (default " \
			"1s, with probes 10s)")                                                    \
	X(MOST, "most", "NUMBER", "Maximum number of queue pairs (default 131072)")                \
	X(NO_PROBES, "no-probes", NULL,                                                            \
			"Load no probes into the kernel: only what RDMA CM has connected is "      \
			"known")                                                                   \
	X(JSON, "json", NULL, "Print JSON")                                                        \
	X(VERSION, "version", NULL, "Print the version")                                           \
	X(HELP, "help", NULL, "Print this text")

enum {
	FIRST = 256,
#define ID(id, name, value, help) OPTION_##id,
	OPTIONS(ID)
#undef ID
};

static const struct option long_options[] = {
#define LONG(id, name, value, help) \
	{name, (value) != NULL ? required_argument : no_argument, NULL, OPTION_##id},
		OPTIONS(LONG)
#undef LONG
				{NULL, 0, NULL, 0},
};

static const struct {
	const char *name, *value, *help;
} texts[] = {
#define TEXT(id, name, value, help) {name, value, help},
		OPTIONS(TEXT)
#undef TEXT
};

#define LINE 78
#define COLUMN 24

/* Words behind the name of the option, each line of them at the same column. */
static void
print_help(FILE *out, const char *help)
{
	int column = COLUMN;

	while (*help != '\0') {
		const int n = (int)strcspn(help, " ");

		if (column + n + 1 > LINE) {
			fprintf(out, "\n%*s", COLUMN, "");
			column = COLUMN;
		}
		column += fprintf(out, "%s%.*s", column > COLUMN ? " " : "", n, help);
		help += n + (help[n] == ' ');
	}
	fputc('\n', out);
}

void
host_options_help(FILE *out)
{
	fputs("usage: fastcn-host --switch ADDRESS --port NUMBER --ca FILE --certificate FILE\n"
	      "                   --key FILE [options]\n"
	      "       fastcn-host show [json] [options]\n"
	      "       fastcn-host watch [json] [options]\n"
	      "\n"
	      "fastcn-host knows which RC queue pairs of this host are connected to which, and\n"
	      "tells a switch, so that it can send the host CNPs. show prints them, and those of\n"
	      "which something is not known, with the reason. watch prints each change.\n"
	      "\n",
			out);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *value = texts[i].value != NULL ? texts[i].value : "";
		const int n = fprintf(
				out, "  --%s%s%s", texts[i].name, *value != '\0' ? " " : "", value);

		fprintf(out, n < COLUMN - 1 ? "%*s" : "\n%*s", n < COLUMN - 1 ? COLUMN - n : COLUMN,
				"");
		print_help(out, texts[i].help);
	}
	fputs("\n"
	      "Exit status: 0 after SIGTERM or SIGINT, 1 if it had to give up, 2 if it could not\n"
	      "start.\n",
			out);
}

static int
complain(const char *option, const char *value, const char *what)
{
	fprintf(stderr, "fastcn-host: --%s %s: %s\n", option, value, what);
	return -1;
}

static int
read_number(const char *option, const char *value, uint32_t least, uint32_t most, uint32_t *out)
{
	char *end, what[80];
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0 && n >= least &&
			n <= most) {
		*out = (uint32_t)n;
		return 0;
	}
	snprintf(what, sizeof(what), "expected a number from %u to %u", least, most);
	return complain(option, value, what);
}

static int
read_interval(const char *value, uint32_t *ms)
{
	static const char what[] = "expected a time from 10ms to 3600s, such as 500ms or 2s";
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || errno != 0 || n > 3600000)
		return complain("interval", value, what);
	if (strcmp(end, "s") == 0)
		n *= 1000;
	else if (strcmp(end, "ms") != 0)
		return complain("interval", value, what);
	if (n < 10 || n > 3600000)
		return complain("interval", value, what);
	*ms = (uint32_t)n;
	return 0;
}

static int
read_address(const char *value, const char **out)
{
	uint8_t bytes[16];

	if (inet_pton(AF_INET, value, bytes) != 1 && inet_pton(AF_INET6, value, bytes) != 1)
		return complain("switch", value, "expected an IPv4 or IPv6 address");
	*out = value;
	return 0;
}

static int
take_option(struct host_options *opt, int id, const char *value)
{
	uint32_t number;

	switch (id) {
	case OPTION_SWITCH:
		return read_address(value, &opt->address);
	case OPTION_PORT:
		if (read_number("port", value, 1, UINT16_MAX, &number) != 0)
			return -1;
		opt->port = (uint16_t)number;
		return 0;
	case OPTION_CA:
		opt->ca = value;
		return 0;
	case OPTION_CERTIFICATE:
		opt->certificate = value;
		return 0;
	case OPTION_KEY:
		opt->key = value;
		return 0;
	case OPTION_NAME:
		opt->name = value;
		return 0;
	case OPTION_INTERVAL:
		return read_interval(value, &opt->interval_ms);
	case OPTION_MOST:
		return read_number("most", value, 1, 16777216, &opt->most);
	case OPTION_NO_PROBES:
		opt->no_probes = true;
		return 0;
	case OPTION_JSON:
		opt->is_json = true;
		return 0;
	case OPTION_VERSION:
		opt->version = true;
		return 0;
	case OPTION_HELP:
		opt->help = true;
		return 0;
	}
	/* getopt_long() has said what is wrong. */
	fputs("See fastcn-host --help.\n", stderr);
	return -1;
}

static int
take_words(struct host_options *opt, char *const *word, int n)
{
	const char *wrong = NULL;

	if (n > 0 && strcmp(word[0], "show") == 0)
		opt->action = HOST_SHOW;
	else if (n > 0 && strcmp(word[0], "watch") == 0)
		opt->action = HOST_WATCH;
	else if (n > 0)
		wrong = word[0];
	if (n > 1 && wrong == NULL) {
		if (n > 2 || strcmp(word[1], "json") != 0)
			wrong = strcmp(word[1], "json") != 0 ? word[1] : word[2];
		opt->is_json = true;
	}
	if (wrong == NULL)
		return 0;
	fprintf(stderr, "fastcn-host: what is \"%s\"? See fastcn-host --help.\n", wrong);
	return -1;
}

/* Options that need each other. */
static int
check(const struct host_options *opt)
{
	const bool has_all = opt->port != 0 && opt->ca != NULL && opt->certificate != NULL &&
			     opt->key != NULL;
	const bool has_any = opt->port != 0 || opt->ca != NULL || opt->certificate != NULL ||
			     opt->key != NULL || opt->name != NULL || opt->address != NULL;
	const char *what = NULL;

	if (opt->action != HOST_REPORT && has_any)
		what = "show and watch tell no switch: leave out --switch and what belongs to it";
	else if (opt->action == HOST_REPORT && opt->address == NULL)
		what = "give the address of a switch by --switch, or say show or watch";
	else if (opt->action == HOST_REPORT && !has_all)
		what = "--switch needs --port, --ca, --certificate and --key";
	else if (opt->action == HOST_REPORT && opt->is_json)
		what = "--json is for show and watch";
	if (what == NULL)
		return 0;
	fprintf(stderr, "fastcn-host: %s; see fastcn-host --help\n", what);
	return -1;
}

int
host_options_parse(struct host_options *opt, int argc, char **argv)
{
	int id;

	*opt = (struct host_options){0};
	while ((id = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		if (take_option(opt, id == 'h' ? OPTION_HELP : id, optarg) != 0)
			return -1;
	if (opt->help || opt->version)
		return 0;
	if (take_words(opt, argv + optind, argc - optind) != 0)
		return -1;
	return check(opt);
}
