# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# What the scripts share. Sourced by bash, with `set -u`; changes to the root of the repository.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say()
{
	printf '== %s\n' "$*"
}

fail()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# quiet LOG COMMAND...: run with the output in a file; show its end when the command fails.
quiet()
{
	local log=$1
	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null && return 0
	tail -n 40 "$log" >&2
	printf '%s: failed: %s\n(all of it: %s)\n' "${0##*/}" "$*" "$log" >&2
	return 1
}

# ccache knows a file that was compiled before in another folder, too: in another clone, or when a
# branch is left and entered again. meson finds it where it is installed.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1

# configure DIR [meson options]: once.
configure()
{
	local dir=$1
	shift
	if [ ! -f "$dir/build.ninja" ]; then
		[ ! -f "$dir/meson-private/coredata.dat" ] || set -- --wipe "$@"
		quiet "$dir.log" meson setup "$@" "$dir" || return 1
		rm -f "$dir.log"
	fi
}

# build DIR [meson options]: configure once, then compile what changed.
build()
{
	configure "$@" && quiet "$1.log" ninja -C "$1" -j "$(nproc)" && rm -f "$1.log"
}
