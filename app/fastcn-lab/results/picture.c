/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "picture.h"

#define NOT_FOUND 127 /* exit status of a child that found no gnuplot */

int
lab_picture_begin(struct lab_picture *p, const char *dir, const char *name, FILE *err)
{
	char file[4096];

	p->dir = dir;
	p->err = err;
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(file, sizeof(file), "%s/%s.gp", dir, name);
	p->out = fopen(file, "we");
	if (p->out == NULL) {
		fprintf(err, "%s: %s\n", file, strerror(errno));
		return -1;
	}
	fprintf(p->out,
			"# gnuplot %s.gp draws %s.svg; gnuplot -e \"image='png'\" %s.gp the "
			"other.\n",
			name, name, name);
	lab_picture_text(p, "name", name);
	return 0;
}

/*
 * Write a string in double quotes. The characters that mean something in gnuplot's enhanced text
 * are escaped by a backslash, which has to be doubled in a script, but not in data.
 */
static void
quoted(FILE *out, const char *text, const char *escape)
{
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (strchr("_^{}@&~", *text) != NULL)
			fprintf(out, "%s%c", escape, *text);
		else if (*text == '"' || *text == '\\')
			fputc('\'', out);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	}
	fputc('"', out);
}

void
lab_picture_text(struct lab_picture *p, const char *name, const char *text)
{
	fprintf(p->out, "%s = ", name);
	quoted(p->out, text, "\\\\");
	fputc('\n', p->out);
}

void
lab_picture_count(struct lab_picture *p, const char *name, unsigned int value)
{
	fprintf(p->out, "%s = %u\n", name, value);
}

/*
 * The number is written with a fraction, because gnuplot uses integer division for whole numbers.
 */
void
lab_picture_number(struct lab_picture *p, const char *name, double value)
{
	fprintf(p->out, "%s = %.12e\n", name, value);
}

void
lab_picture_data(struct lab_picture *p, const char *name)
{
	fprintf(p->out, "$%s << END\n", name);
}

void
lab_picture_data_end(struct lab_picture *p)
{
	fputs("END\n", p->out);
}

void
lab_picture_cell(struct lab_picture *p, const char *text)
{
	quoted(p->out, text, "\\");
	fputc(' ', p->out);
}

/* Replace the child process by gnuplot, whose messages go to stderr. */
static void
become_gnuplot(const struct lab_picture *p, const char *image)
{
	char definition[32], file[sizeof(p->name) + 4];
	char *argv[] = {(char *)(uintptr_t) "gnuplot", (char *)(uintptr_t) "-e", definition, file,
			NULL};

	snprintf(definition, sizeof(definition), "image='%s'", image);
	snprintf(file, sizeof(file), "%s.gp", p->name);
	if (chdir(p->dir) != 0)
		_exit(1);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? NOT_FOUND : 1);
}

/* Run gnuplot. @return its exit status */
static int
draw(const struct lab_picture *p, const char *image)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_gnuplot(p, image);
	if (pid < 0)
		return 1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int
lab_picture_end(struct lab_picture *p, const char *script)
{
	static const char *const images[] = {"svg", "png"};
	bool failed;

	fputs(lab_gp_style, p->out);
	fputs(script, p->out);
	failed = ferror(p->out) != 0;
	if (fclose(p->out) != 0 || failed) {
		fprintf(p->err, "%s/%s.gp: could not be written\n", p->dir, p->name);
		return -1;
	}
	for (unsigned int i = 0; i < 2; i++) {
		int status = draw(p, images[i]);

		if (status == NOT_FOUND)
			return LAB_NO_GNUPLOT;
		if (status != 0) {
			fprintf(p->err, "%s/%s.%s: gnuplot could not draw it\n", p->dir, p->name,
					images[i]);
			return LAB_NOT_DRAWN;
		}
	}
	return 0;
}

static struct lab_unit
unit(double largest, const struct lab_unit *list)
{
	while (list[1].name != NULL && largest >= list[1].divisor)
		list++;
	return *list;
}

struct lab_unit
lab_unit_bytes(double largest)
{
	static const struct lab_unit list[] = {
			{"bytes", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {NULL, 0}};

	return unit(largest / 2, list);
}

struct lab_unit
lab_unit_time(double largest)
{
	static const struct lab_unit list[] = {
			{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};

	return unit(largest / 2, list);
}

struct lab_unit
lab_unit_rate(double largest)
{
	static const struct lab_unit list[] = {
			{"b/s", 1}, {"Kb/s", 1e3}, {"Mb/s", 1e6}, {"Gb/s", 1e9}, {NULL, 0}};

	return unit(largest, list);
}
