/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "present.h"
#include "python_part.h"

#define FAILED 1 /* the status of fastcn-lab when the Python part could not be started */

int
lab_present_run(const char *dir, FILE *err)
{
	const char *words[] = {"draw", dir};

	return python_part_run("no pictures", RTE_DIM(words), words, err) == PYTHON_PART_FAILED ? -1
												: 0;
}

int
lab_present_main(int argc, char **argv)
{
	char what[64];

	snprintf(what, sizeof(what), "fastcn-lab %s", argv[0]);
	python_part_become(what, (unsigned int)argc, (const char *const *)argv);
	return FAILED;
}
