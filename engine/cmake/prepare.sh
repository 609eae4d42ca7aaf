# Shared by demo/run, tests/run and bench/run, which source it: installs missing packages, configures
# and builds. Everything it says goes to stderr, so that a program's stdout stays clean.
#
#   prepare PRESET TARGET PACKAGE...   afterwards $build is the folder that holds TARGET
#
# TWANG_CMAKE_OPTIONS in the environment is added when configuring (say -DTWANG_WERROR=ON).
# Exit codes of its own: 2 when something must be installed by hand, 1 when the build fails.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

say() { printf 'twang: %s\n' "$*" >&2; }

# Is there a program that does this package's job, wherever it came from?
has_tool() {
    case $1 in
        g++) command -v c++ || command -v g++ || command -v clang++ ;;
        cmake) command -v cmake ;;
        ninja-build) command -v ninja ;;
        python3-glad) command -v glad ;;
        ffmpeg | valgrind | xauth | xdotool) command -v "$1" ;;
        xvfb) command -v xvfb-run ;;
        *) false ;;
    esac >/dev/null
}

# Prints those of the packages that are not there. Without dpkg only tools can be looked for; CMake
# will name the libraries it misses.
missing_packages() {
    local package
    for package in "$@"; do
        has_tool "$package" && continue
        if command -v dpkg-query >/dev/null; then
            [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] &&
                continue
        elif [[ $package == lib* || $package == *-dev ]]; then
            continue
        fi
        printf '%s ' "$package"
    done
}

# Seconds to wait for another apt-get, which is often one that keeps the machine up to date.
lock_wait=600

# Runs a command of apt-get; while another one holds a lock, waits for that. Returns 0 at once when
# the other one has installed what is missing. apt-get itself can wait for the lock of dpkg, but
# neither for that of the lists nor for that of the archives.
# With quiet=yes nothing is said of a failure.
#   apt_get PACKAGE... -- COMMAND...
apt_get() {
    local wanted=() log code waits="" until=$((SECONDS + lock_wait))
    while [[ $1 != -- ]]; do wanted+=("$1"); shift; done
    shift
    log=$(mktemp)
    while true; do
        code=0
        "$@" -o DPkg::Lock::Timeout="${waits:+3}0" </dev/null >"$log" 2>&1 || code=$?
        [[ $code != 0 ]] && ((SECONDS < until)) &&
            grep -qi "could not get lock\|unable to \(acquire\|lock\)" "$log" || break
        [[ -n $waits ]] || say "another apt-get is at work: waiting for it, up to ten minutes"
        waits=yes
        sleep 3
        if [[ -z $(missing_packages "${wanted[@]}") ]]; then code=0; break; fi
    done
    [[ $code == 0 || -n ${quiet:-} ]] || cat "$log" >&2
    rm -f "$log"
    return $code
}

install_packages() {
    local missing=("$@") as_root=(env DEBIAN_FRONTEND=noninteractive)
    if ! command -v apt-get >/dev/null; then
        say "missing: ${missing[*]} (Debian's names). There is no apt-get here: install them by hand."
        exit 2
    fi
    if [[ $(id -u) != 0 ]]; then
        if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
            say "missing packages: ${missing[*]}"
            say "neither root nor sudo is at hand; run: apt-get install ${missing[*]}"
            exit 2
        fi
        as_root=(sudo "${as_root[@]}")
    fi
    say "installing ${missing[*]}"
    local install=("${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}")
    # The first try fails on a machine whose package lists are absent or old.
    if ! quiet=yes apt_get "${missing[@]}" -- "${install[@]}"; then
        apt_get "${missing[@]}" -- "${as_root[@]}" apt-get update -qq || true
        if ! apt_get "${missing[@]}" -- "${install[@]}" &&
            [[ -n $(missing_packages "${missing[@]}") ]]; then
            say "could not install: ${missing[*]}"
            exit 2
        fi
    fi
    # No build that is there was configured with them.
    rm -f "$root"/build/*/.configured
}

check_cmake() {
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
    if [[ $(printf '3.25\n%s\n' "$version" | sort -V | head -n 1) != 3.25 ]]; then
        say "CMake 3.25 or newer is needed; $(command -v cmake) is $version"
        exit 2
    fi
}

# Runs a command with its output in a log, which is shown only if it fails.
logged() {
    local log=$1
    shift
    "$@" </dev/null >"$log" 2>&1 || { local code=$?; cat "$log" >&2; return $code; }
}

configure() {
    say "configuring $preset"
    mkdir -p "$build"
    # Afresh: what an older configuration remembers, a moved folder or library above all, misleads.
    # Objects that are still good are kept. Options are unquoted on purpose: a list.
    (cd "$root" && logged "$build/configure.log" cmake --fresh --preset "$preset" $options) ||
        { say "configuring failed"; exit 1; }
    printf '%s\n' "$options" >"$build/.configured"
}

has_target() { (cd "$build" && ninja -t query "$1" >/dev/null 2>&1); }

# Configured from this very folder, by these presets and options, and with a rule for the target?
is_configured() {
    [[ -f $build/build.ninja && -f $build/.configured ]] &&
        [[ $(<"$build/.configured") == "$options" ]] &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" &&
        [[ ! $root/CMakePresets.json -nt $build/.configured ]] && has_target "$1"
}

compile() {
    [[ $(cd "$build" && ninja -n "$1" 2>/dev/null) == *"no work to do"* ]] ||
        say "building $1 ($preset)"
    cmake --build "$build" --target "$1" --parallel "$(nproc)" </dev/null >"$build/build.log" 2>&1
}

prepare() {
    local preset=$1 target=$2 options=${TWANG_CMAKE_OPTIONS:-} missing
    shift 2
    missing=$(missing_packages "$@")
    # Unquoted on purpose: a list of names.
    [[ -z $missing ]] || install_packages $missing
    check_cmake

    build=$root/build/$preset
    mkdir -p "$root/build"
    # One at a time, should several of these scripts run at once.
    exec 9>"$root/build/.lock"
    ! command -v flock >/dev/null || flock 9

    is_configured "$target" || configure
    if ! has_target "$target"; then
        say "this build has no $target:"
        grep -i "not found\|no $target" "$build/configure.log" >&2
        exit 2
    fi
    # A library that moved since the last time is no fault of the sources: then configure again.
    if ! compile "$target" && { ! grep -q 'no known rule to make it' "$build/build.log" ||
        { configure && ! compile "$target"; }; }; then
        cat "$build/build.log" >&2
        say "building failed"
        exit 1
    fi
    exec 9>&-
}

tools=(g++ cmake ninja-build)
engine_packages=(libeigen3-dev libsuitesparse-dev libmetis-dev nlohmann-json3-dev)
window_packages=(libglfw3-dev libimgui-dev libstb-dev libpng-dev python3-glad libgl1 libgl1-mesa-dri)
no_screen_packages=(xvfb xauth ffmpeg)
# Runs a program in front of a screen that nobody sees, drawn by Mesa on the processor.
no_screen=(xvfb-run --auto-servernum --server-args "-screen 0 1280x800x24")
