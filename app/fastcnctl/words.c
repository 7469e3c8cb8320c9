/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * This program runs during the build. It writes the declarations of the switch's commands as C
 * code, without the functions behind them. fastcnctl is built with that code, so that it completes
 * and explains commands without being linked with the switch, and starts quickly.
 */

#include <stdio.h>

#include "fcn_command_form.h"
#include "fcn_session.h"

static void
put_string(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void
put_command(const struct fcn_command *command)
{
	printf("\t{");
	put_string(command->syntax);
	printf(", ");
	put_string(command->help);
	printf(", %s, run", command->kind == FCN_COMMAND_CONFIG ? "FCN_COMMAND_CONFIG"
								: "FCN_COMMAND_ACTION");
	if (command->no != NULL) {
		printf(", .no = ");
		put_string(command->no);
	}
	printf("},\n");
}

static void
put_options(const struct fcn_command_table *table)
{
	size_t n;
	const struct fcn_command_option *options = fcn_command_table_get_options(table, &n);

	printf("const struct fcn_command_option ctl_options[] = {\n");
	for (size_t i = 0; i < n; i++) {
		printf("\t{");
		put_string(options[i].command);
		printf(", ");
		put_string(options[i].word);
		printf(", ");
		put_string(options[i].help);
		printf("},\n");
	}
	printf("};\nconst size_t ctl_n_options = %zu;\n", n);
}

int
main(void)
{
	struct fcn_command_table *table = fcn_session_commands();
	const struct fcn_command_group *groups;
	size_t n_groups;

	if (table == NULL)
		return 1;
	groups = fcn_command_table_groups(table, &n_groups);
	printf("/* Made by fastcnctl-words. */\n"
	       "#include \"words.h\"\n"
	       "static int\nrun(struct fcn_session *session, const struct fcn_args *args)\n"
	       "{\n\t(void)session;\n\t(void)args;\n\treturn 0;\n}\n"
	       "static const struct fcn_command commands[] = {\n");
	for (size_t g = 0; g < n_groups; g++)
		for (size_t i = 0; i < groups[g].n_commands; i++)
			put_command(&groups[g].commands[i]);
	printf("\t{\"watch <command:text>\", \"Show again and again, until Ctrl-C: "
	       "[-n SECONDS] show ...\", FCN_COMMAND_ACTION, run},\n"
	       "};\n"
	       "const struct fcn_command_group ctl_commands = {\"fastcn\", commands, "
	       "sizeof(commands) / sizeof(commands[0])};\n");
	put_options(table);
	fcn_command_table_free(table);
	return ferror(stdout) != 0 || fflush(stdout) != 0;
}
