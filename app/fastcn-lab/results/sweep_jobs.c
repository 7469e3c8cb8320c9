/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "sweep_private.h"

#define SELF "/proc/self/exe"

/* A process; its output is kept in memory and read when it has ended. */
struct job {
	pid_t pid; /* 0: there is no process */
	unsigned int point;
	int out, err;
};

struct jobs {
	struct sweep *s;
	struct job *job;
	unsigned int next, done, failed;
	bool interrupted;
	/* Signals to wait for, which are blocked during the sweep; and the mask before it. */
	sigset_t wanted, before;
};

/* Replace the child process by a run of the lab. */
static void
become_run(const struct jobs *jobs, const struct job *j, pid_t parent)
{
	const struct sweep *s = jobs->s;
	unsigned int n = 0, room = 10 + 2 * (s->grid.n + s->n_set + s->n_lines);
	char **argv = calloc(room, sizeof(char *)), *text;

	sigprocmask(SIG_SETMASK, &jobs->before, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (argv == NULL || getppid() != parent || dup2(j->out, STDOUT_FILENO) < 0 ||
			dup2(j->err, STDERR_FILENO) < 0)
		_exit(1);
	argv[n++] = (char *)(uintptr_t) "fastcn-lab";
	argv[n++] = (char *)(uintptr_t)s->scenario;
	argv[n++] = (char *)(uintptr_t) "--quiet";
	argv[n++] = (char *)(uintptr_t) "--json";
	argv[n++] = (char *)(uintptr_t) "-";
	for (unsigned int i = 0; i < s->n_set; i++) {
		argv[n++] = (char *)(uintptr_t) "--set";
		argv[n++] = (char *)(uintptr_t)s->set[i];
	}
	for (unsigned int i = 0; i < s->n_lines; i++) {
		argv[n++] = (char *)(uintptr_t) "--line";
		argv[n++] = (char *)(uintptr_t)s->line[i];
	}
	for (unsigned int v = 0; v < s->grid.n; v++) {
		if (asprintf(&text, "%s=%s", s->grid.vary[v].name,
				    sweep_grid_value(&s->grid, j->point, v)) < 0)
			_exit(1);
		argv[n++] = (char *)(uintptr_t) "--set";
		argv[n++] = text;
	}
	execv(SELF, argv);
	dprintf(STDERR_FILENO, SELF ": %s\n", strerror(errno));
	_exit(1);
}

static int
start(struct jobs *jobs, struct job *j)
{
	pid_t parent = getpid();

	j->point = jobs->next;
	j->out = memfd_create("out", MFD_CLOEXEC);
	j->err = memfd_create("err", MFD_CLOEXEC);
	if (j->out >= 0 && j->err >= 0) {
		fflush(NULL);
		j->pid = fork();
		if (j->pid == 0)
			become_run(jobs, j, parent);
		if (j->pid > 0) {
			jobs->next++;
			return 0;
		}
	}
	fprintf(stderr, SWEEP_NAME ": cannot start a process: %s\n", strerror(errno));
	j->pid = 0;
	if (j->out >= 0)
		close(j->out);
	if (j->err >= 0)
		close(j->err);
	return -1;
}

/* The last line that is not empty, which holds the error of a program that failed. */
static char *
last_line(int fd, int status)
{
	char buf[4097], *line, *text;
	off_t size = lseek(fd, 0, SEEK_END);
	off_t from = size > 4096 ? size - 4096 : 0;
	ssize_t n = size < 0 ? 0 : pread(fd, buf, 4096, from);

	n = n < 0 ? 0 : n;
	while (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	line = strrchr(buf, '\n');
	line = line != NULL ? line + 1 : buf;
	if (line[0] != '\0')
		return strdup(line);
	if (WIFSIGNALED(status))
		n = asprintf(&text, "ended by signal %d (%s)", WTERMSIG(status),
				strsignal(WTERMSIG(status)));
	else
		n = asprintf(&text, "ended with status %d and no result", WEXITSTATUS(status));
	return n < 0 ? NULL : text;
}

/* The first error of a scenario, from which others can follow; of other failures the last line. */
static char *
failure_of(const char *scenario, int fd, int status)
{
	const size_t len = strlen(scenario);
	char buf[4097];
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	buf[n < 0 ? 0 : n] = '\0';
	if (strncmp(buf, scenario, len) == 0 && buf[len] == ':')
		return strndup(buf, strcspn(buf, "\n"));
	return last_line(fd, status);
}

/* A run whose expectations fail has a result, too. */
static void
finish(struct jobs *jobs, struct job *j, int status)
{
	struct sweep_run *run = &jobs->s->run[j->point];
	json_error_t why;

	lseek(j->out, 0, SEEK_SET);
	if (WIFEXITED(status))
		run->result = json_loadfd(j->out, 0, &why);
	if (!json_is_object(run->result)) {
		json_decref(run->result);
		run->result = NULL;
		run->failure = failure_of(jobs->s->scenario, j->err, status);
		jobs->failed++;
	}
	close(j->out);
	close(j->err);
	j->pid = 0;
	jobs->done++;
}

static struct job *
job_of(struct jobs *jobs, pid_t pid)
{
	for (unsigned int i = 0; i < jobs->s->jobs; i++)
		if (jobs->job[i].pid == pid)
			return &jobs->job[i];
	return NULL;
}

static unsigned int
running(const struct jobs *jobs)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < jobs->s->jobs; i++)
		n += jobs->job[i].pid > 0;
	return n;
}

/* Process the jobs that have ended. @return whether there was one */
static bool
reap(struct jobs *jobs, int flags)
{
	struct job *j;
	int status;
	pid_t pid = waitpid(-1, &status, flags);

	j = pid > 0 ? job_of(jobs, pid) : NULL;
	if (j != NULL)
		finish(jobs, j, status);
	return pid > 0;
}

static void
wait_for_one(struct jobs *jobs)
{
	while (!jobs->interrupted && !reap(jobs, WNOHANG)) {
		int sig = sigwaitinfo(&jobs->wanted, NULL);

		jobs->interrupted = sig == SIGINT || sig == SIGTERM;
	}
}

static void
end_all(struct jobs *jobs)
{
	for (unsigned int i = 0; i < jobs->s->jobs; i++)
		if (jobs->job[i].pid > 0)
			kill(jobs->job[i].pid, SIGTERM);
	while (running(jobs) > 0)
		reap(jobs, 0);
}

static int
work(struct jobs *jobs, struct lab_progress_bar *bar)
{
	struct sweep *s = jobs->s;

	while (jobs->done < s->n_points && !jobs->interrupted) {
		while (jobs->next < s->n_points && running(jobs) < s->jobs)
			if (start(jobs, job_of(jobs, 0)) != 0)
				return -1;
		wait_for_one(jobs);
		lab_progress_runs(bar, jobs->done, s->n_points, jobs->failed);
	}
	return jobs->interrupted ? -1 : 0;
}

int
sweep_run_all(struct sweep *s)
{
	struct jobs jobs = {.s = s};
	struct lab_progress_bar bar;
	int rc;

	jobs.job = calloc(s->jobs, sizeof(*jobs.job));
	if (jobs.job == NULL)
		return -1;
	sigemptyset(&jobs.wanted);
	sigaddset(&jobs.wanted, SIGINT);
	sigaddset(&jobs.wanted, SIGTERM);
	sigaddset(&jobs.wanted, SIGCHLD);
	sigprocmask(SIG_BLOCK, &jobs.wanted, &jobs.before);
	lab_progress_begin(&bar, stderr);
	rc = work(&jobs, &bar);
	if (rc != 0)
		end_all(&jobs);
	lab_progress_end(&bar);
	/* A second Ctrl-C must not keep the results so far from being shown. */
	while (sigtimedwait(&jobs.wanted, NULL, &(struct timespec){0}) > 0)
		;
	sigprocmask(SIG_SETMASK, &jobs.before, NULL);
	if (jobs.interrupted)
		fprintf(stderr, SWEEP_NAME ": interrupted after %u of %u runs\n", jobs.done,
				s->n_points);
	free(jobs.job);
	return rc;
}
