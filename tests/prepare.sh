# How engine/cmake/prepare.sh installs: beside another apt-get it waits, says so once, and goes on
# where the other one has installed what is needed. apt-get, id and dpkg-query are stand-ins.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../engine/cmake/prepare.sh"
stand_ins=$(mktemp -d)
trap 'rm -rf "$stand_ins"' EXIT
root=$stand_ins # whose builds are not configured anew
PATH=$stand_ins:$PATH

# apt-get finds the lock taken as often as `locked` says, and does what `then` says.
cat >"$stand_ins/apt-get" <<'END'
#!/bin/bash
cd "$(dirname "$0")"
echo "$*" >>calls
if (($(wc -l <calls) <= $(<locked))); then
    [[ ! -e other_installs ]] || touch installed
    echo "E: Could not get lock /var/lib/$(<lock). It is held by process 1 (apt-get)" >&2
    exit 100
fi
[[ ! -e broken ]] || { echo "E: Unable to locate package" >&2; exit 100; }
[[ $* != *install* ]] || touch installed
END
printf '#!/bin/bash\necho 0\n' >"$stand_ins/id"
cat >"$stand_ins/dpkg-query" <<'END'
#!/bin/bash
[[ ! -e $(dirname "$0")/installed ]] || printf installed
END
chmod +x "$stand_ins"/*
sleep() { :; }

# Prints the exit code, then what was said.
try() {
    (cd "$stand_ins" && rm -f calls installed other_installs broken && echo dpkg/lock >lock && echo "$1" >locked)
    shift
    local file
    for file in "$@"; do touch "$stand_ins/$file"; done
    local code=0
    (install_packages libthing-dev) >"$stand_ins/said" 2>&1 || code=$?
    echo "$code $(grep -c 'another apt-get' "$stand_ins/said") $(wc -l <"$stand_ins/calls")"
}
expect() {
    [[ $2 == "$3" ]] || { echo "$1: exit code, lines of waiting, calls: '$2', not '$3'"; cat "$stand_ins/said"; exit 1; }
}

expect "nobody else" "$(try 0)" "0 0 1"
expect "another one, for a while" "$(try 4)" "0 1 5"
expect "another one, which installs the same" "$(try 99 other_installs)" "0 1 1"
expect "an unknown package" "$(try 0 broken)" "2 0 3"
lock_wait=0
expect "another one, for too long" "$(try 99)" "2 0 3"
