/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Print random lines for the console of a switch, right and wrong ones, until nobody reads them any
 * more. One in twenty has a slip.
 *
 * usage: random_lines SEED NAME...
 *
 * NAME are names of ports and other things that the switch has, and some that it has not.
 */

#include <stdio.h>
#include <stdlib.h>

#include "fcn_session.h"
#include "line_maker.h"

int
main(int argc, char **argv)
{
	static const char *const files[] = {"a.conf", "b.conf", "/nowhere/c.conf"};
	struct line_maker maker = {.files = files, .n_files = 3};
	char line[LINE_MAKER_MAX];

	if (argc < 3) {
		fprintf(stderr, "usage: random_lines SEED NAME...\n");
		return 2;
	}
	maker.table = fcn_session_commands();
	maker.seed = strtoull(argv[1], NULL, 0);
	maker.names = (const char *const *)(uintptr_t)(argv + 2);
	maker.n_names = maker.n_likely = (unsigned int)argc - 2;
	if (maker.table == NULL || line_maker_init(&maker) != 0)
		return 1;
	do {
		line_maker_line(&maker, line_maker_form(&maker), line);
		if (line_maker_choose(&maker, 20) == 0)
			line_maker_spoil(&maker, line);
	} while (puts(line) >= 0);
	return 0;
}
