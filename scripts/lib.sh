# Shared by the scripts: a Python, the virtual environment, the kernels, servers, a browser. Sourced from the checkout's folder.
# shellcheck shell=bash

venv=.venv
say() { printf '%s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# Print the first Python that is new enough.
find_python() {
    local name too_old=
    for name in "${PYTHON:-python3}" python3.13 python3.12 python3.11 python3.14 python; do
        command -v "$name" >/dev/null 2>&1 || continue
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$name"
            return
        fi
        too_old=${too_old:-$("$name" -c 'import platform; print(platform.python_version())' 2>/dev/null || true)}
    done
    if [[ $too_old ]]; then
        die "Fourcorners needs Python 3.11 or newer, and the newest found is $too_old: install one, or name one with PYTHON=/path/to/python3."
    fi
    die "Fourcorners needs Python 3.11 or newer, and none was found: install one, or name one with PYTHON=/path/to/python3."
}

# A number for what the environment is made from.
fingerprint() { cat pyproject.toml requirements/build.in "requirements/$1.txt" | cksum; }

# prepared run|dev: does the environment hold what the lock says?
prepared() {
    local stamp=$venv/fourcorners-$1.stamp
    [[ -x $venv/bin/fourcorners && -f $stamp && $(<"$stamp") == "$(fingerprint "$1") $PWD" ]]
}

# prepare run|dev: make it so; where it is so already, nothing is done and no network asked. What dev holds, run needs.
prepare() {
    local lock=$1 python
    if prepared "$lock" || prepared dev; then
        return
    fi
    # A moved checkout's environment still names the old folder; an upgraded system leaves one without its Python.
    if ! grep -qsF "$PWD/$venv/" "$venv/bin/pip" || ! "$venv/bin/python" -c '' >/dev/null 2>&1; then
        python=$(find_python)
        if ! "$python" -m venv --clear "$venv" >/dev/null 2>&1; then
            rm -rf "$venv"
            die "This Python ($python) cannot make a virtual environment: install its venv module (on Debian and Ubuntu: apt-get install python3-venv)."
        fi
    fi
    install "$lock" --require-hashes -r "requirements/$lock.txt"
    install "$lock" --no-deps --no-build-isolation --no-index -e .
    printf '%s %s\n' "$(fingerprint "$lock")" "$PWD" >"$venv/fourcorners-$lock.stamp"
}

# install LOCK ARGUMENTS: pip install, with a progress bar when somebody watches.
install() {
    local lock=$1 log=$venv/install.log total line count=0 name bar
    shift
    total=$(grep -c '^[A-Za-z0-9]' "requirements/$lock.txt")
    if "$venv/bin/python" -m pip install --disable-pip-version-check --retries 2 "$@" 2>"$log" |
        while IFS= read -r line; do
            case $line in
            Collecting* | 'Requirement already satisfied'*)
                count=$((count < total ? count + 1 : total))
                name=${line#Collecting }
                name=${name#Requirement already satisfied: }
                name="fetching ${name%%[= ;<>~!]*}"
                ;;
            Installing*) name='unpacking' ;;
            *) continue ;;
            esac
            [[ -t 2 ]] || continue
            printf -v bar '%*s' $((30 * count / total)) ''
            printf '\r  [%-30s] %-30.30s' "${bar// /#}" "$name" >&2
        done; then
        if [[ -t 2 ]]; then printf '\r%79s\r' '' >&2; fi
        return
    fi
    if [[ -t 2 ]]; then printf '\r%79s\r' '' >&2; fi
    if grep -qiE 'connection|resolve|unreachable|timed? ?out|from versions: none|proxy|ssl' "$log"; then
        die "The packages that Fourcorners needs could not be fetched, as no package index was reached: connect to the network and start again (pip's own words are in $log)."
    fi
    die "Installing what Fourcorners needs failed: pip's own words are in $log."
}

# Fail unless there is a Node that can run the tests of the page's scripts.
find_node() {
    if ! command -v node >/dev/null 2>&1; then
        die "The page's scripts are checked and tested with Node 20 or newer, and none was found: install Node."
    fi
    if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
        die "The page's scripts are checked and tested with Node 20 or newer, and the one found is $(node --version): install a newer one."
    fi
}

# Install the tools for the page's scripts with npm, unless node_modules holds what the lock file says.
prepare_node_tools() {
    local stamp=node_modules/fourcorners.stamp fingerprint log=$venv/npm.log
    find_node
    command -v npm >/dev/null 2>&1 || die "The page's scripts are checked with tools from npm, which comes with Node, and no npm was found: install npm."
    fingerprint=$(cat package.json package-lock.json | cksum)
    if [[ -f $stamp && $(<"$stamp") == "$fingerprint" ]]; then return; fi
    say 'Installing the tools for the page with npm ...'
    npm ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1 || die "Installing the tools for the page failed: see $log."
    printf '%s\n' "$fingerprint" >"$stamp"
}

# Compile the kernels, unless no source is newer than the last time.
warm() {
    local stamp=$venv/fourcorners-warm.stamp
    if [[ -f $stamp && -z $(find src pyproject.toml -newer "$stamp" \( -name '*.py' -o -name '*.toml' \) -print -quit) ]]; then
        return
    fi
    : >"$stamp.new"
    "$venv/bin/fourcorners" warm || die 'Compiling the rules failed: what went wrong stands above.'
    mv "$stamp.new" "$stamp"
}

# See that there are a PostgreSQL and a Redis for the tests: a wheel's, the system's, or those from apt-get.
find_servers() {
    local missing
    missing=$("$venv/bin/python" -m tests.servers)
    if [[ $missing && $(id -u) == 0 ]] && command -v apt-get >/dev/null 2>&1; then
        say "Installing $missing with apt-get ..."
        # shellcheck disable=SC2086  # the names of one package or two
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$venv/servers.log" 2>&1 || true
        missing=$("$venv/bin/python" -m tests.servers)
    fi
    [[ -z $missing ]] || die "The tests run real servers, and there is no $missing here: install that (in a root shell on Debian and Ubuntu, apt-get install $missing)."
}

# Set FOURCORNERS_BROWSER to a Chromium: the one named, on the PATH, from apt-get, or Playwright's own.
find_browser() {
    local name
    if [[ ${FOURCORNERS_BROWSER:-} ]]; then
        [[ -x $FOURCORNERS_BROWSER ]] || die "FOURCORNERS_BROWSER names $FOURCORNERS_BROWSER, which is no program."
        return
    fi
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if FOURCORNERS_BROWSER=$(command -v "$name"); then
            export FOURCORNERS_BROWSER
            return
        fi
    done
    if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null 2>&1; then
        say 'Installing Chromium with apt-get ...'
        if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >"$venv/chromium.log" 2>&1 &&
            FOURCORNERS_BROWSER=$(command -v chromium); then
            export FOURCORNERS_BROWSER
            return
        fi
    fi
    say "Fetching Playwright's own Chromium ..."
    if "$venv/bin/python" -m playwright install chromium >>"$venv/chromium.log" 2>&1; then
        FOURCORNERS_BROWSER=$("$venv/bin/python" -c 'from playwright.sync_api import sync_playwright as start
with start() as p: print(p.chromium.executable_path)')
        if [[ -x $FOURCORNERS_BROWSER ]]; then
            export FOURCORNERS_BROWSER
            return
        fi
    fi
    die "The browser tests need a Chromium, and there is none: install chromium, or name one with FOURCORNERS_BROWSER (see $venv/chromium.log for what was tried)."
}
