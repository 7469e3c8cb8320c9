# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# What the demonstrations share: their options, namespaces and processes, and the end of both. Sourced by bash, with
# `set -u`, after lib.sh.

# options WORDS...: sets once, part, install, fastcn, fastcnctl and endpoint, and builds if need be. The head of the script is its help.
# A script of several parts has set their number, parts; each has set the programs that it needs, PROGRAM:PACKAGE..., needs.
options()
{
	local build=build
	install=1
	once=0 part=
	while [ $# -gt 0 ]; do
		case $1 in
		--once) once=1 ;;
		--no-install) install=0 ;;
		--build)
			[ -n "${2:-}" ] || fail "$1 DIR"
			build=$2
			shift
			;;
		--part)
			case ${parts:+${2:-}} in
			[1-9]) [ "$2" -le "$parts" ] || fail "there are $parts parts" ;;
			*) fail "what is \"$1 ${2:-}\"? See scripts/${0##*/} --help" ;;
			esac
			part=$2
			shift
			;;
		-h | --help) sed -n '5,/^$/s/^# \{0,1\}//p' "scripts/${0##*/}" && exit ;;
		*) fail "what is \"$1\"? See scripts/${0##*/} --help" ;;
		esac
		shift
	done
	[ "$(id -u)" -eq 0 ] || fail "as root, please: sudo scripts/${0##*/}"
	work=$(mktemp -d) || exit 1
	if [ ! -f meson.build ]; then
		installed
		return
	fi
	if [ $install -eq 1 ]; then
		scripts/setup build demo || exit 1
	fi
	if [ ! -x "$build/app/fastcn/fastcn" ] || [ $install -eq 1 ]; then
		[ -f "$build/build.ninja" ] || say "building in $build/ (a minute or two, once)"
		build "$build" --buildtype=release -Dtests=false || exit 1
	fi
	fastcn=$build/app/fastcn/fastcn fastcnctl=$build/app/fastcnctl/fastcnctl
	endpoint=$build/app/fastcn-endpoint/fastcn-endpoint
}

# The scripts of a package: the programs are there, and what else is needed is the system's to have.
installed()
{
	local bin pair missing=()
	bin=$(realpath ../../bin) || exit 1
	fastcn=$bin/fastcn fastcnctl=$bin/fastcnctl endpoint=$bin/fastcn-endpoint
	for pair in $needs; do
		command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} -eq 0 ] || fail "missing: apt-get install --no-install-recommends ${missing[*]}"
}

# ---- what is made here, and its end ----

namespaces=() processes=() work=
cleanup()
{
	local name
	trap '' INT TERM HUP
	[ ${#processes[@]} -eq 0 ] || kill "${processes[@]}" 2>/dev/null
	wait
	for name in "${namespaces[@]}"; do
		ip netns del "$name"
	done
	[ -z "$work" ] || rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# background COMMAND...: ended with the script; Ctrl-C reaches only the script.
background()
{
	setsid "$@" </dev/null &
	processes+=($!)
}

namespace()
{
	ip netns add "$1" || fail "is another demo running? If not: ip netns del $1"
	namespaces+=("$1")
}

# run_switch NAMESPACE CONFIG NAME: a switch there, whose console has this name, until it answers. Sets switch. Its
# worker sleeps for longer than by default: that is soon enough for the rates shown here, and leaves the CPUs to the hosts.
# So are a quarter of the packet buffers, whose memory takes most of the time of a start without hugepages.
run_switch()
{
	background ip netns exec "$1" "$fastcn" --no-pci --no-huge -m 512 -l 0,1 --no-shconf --no-telemetry \
		--log-level='*:error' -- -f "$2" --name "$3" --mbufs 16383 --output-dir "$work" \
		2>"$work/$3.errors"
	switch=$!
	until_true 60 up "$3"
	kill -0 "$switch" 2>/dev/null && "$fastcnctl" --name "$3" set worker idle sleep 1ms &&
		shown_value "$3" version .fastcn >/dev/null ||
		{ cat "$work/$3.errors" >&2 && fail "the switch did not begin"; }
}

up()
{
	"$fastcnctl" --name "$1" show version || ! kill -0 "$switch"
}

# shown_value SWITCH SHOW [PARAMETER=VALUE...] .MEMBER: what a show of a switch says, by the Python client
shown_value()
{
	PYTHONPATH=app/python-fastcn PYTHONDONTWRITEBYTECODE=1 python3 -m fastcn "@$1" "${@:2}"
}

# number_now SWITCH MEMBER SHOW...: the first number of this name in a show. For what is asked again and again: Python takes a
# while to start.
number_now()
{
	"$fastcnctl" --name "$1" --json show "${@:3}" | sed -n "/\"$2\": /{s/.*: \([0-9]*\).*/\1/p;q}"
}

# until_true SECONDS COMMAND...
until_true()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# capture NAMESPACE INTERFACE FILE FILTER: begins, and sets capturing.
capture()
{
	background ip netns exec "$1" tshark -Q -i "$2" -w "$3" -f "$4" 2>"$work/errors"
	capturing=$!
	until_true 60 test -s "$3" || { cat "$work/errors" >&2 && fail "tshark does not capture"; }
}

# end_capture FILE: once it has grown no more for a second. What is captured reaches the file a while later.
end_capture()
{
	until_true 10 settled "$1"
	kill "$capturing"
	wait "$capturing"
}

settled()
{
	local before
	before=$(stat -c %s "$1")
	sleep 1
	[ "$(stat -c %s "$1")" = "$before" ]
}
