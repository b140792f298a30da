# Functions shared by the scripts: Python, the virtual environment, Node, compiling, servers, a browser.
# Source this file from the root of the checkout.
# shellcheck shell=bash

venv=.venv
say() { printf '%s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# Print the name of the first Python that is new enough, or exit with an error.
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

# Print a checksum of everything that determines the environment.
fingerprint() { cat pyproject.toml requirements/build.in "requirements/$1.txt" | cksum; }

# is_prepared run|dev: return whether the environment matches the lock file.
is_prepared() {
    local stamp=$venv/fourcorners-$1.stamp
    [[ -x $venv/bin/fourcorners && -f $stamp && $(<"$stamp") == "$(fingerprint "$1") $PWD" ]]
}

# What a server imports until it has sent its first page, also what it loads by name.
first_imports='import uvicorn.lifespan.on, uvicorn.protocols.http.h11_impl, uvicorn.protocols.websockets.websockets_sansio_impl
import fourcorners.cli, fourcorners.web.log, fourcorners.web.serve
fourcorners.games()'

# prepare run|dev: make the environment match the lock file, and say how long that took. If it does already, this is
# quick and needs no network. The dev environment contains everything that run needs.
prepare() {
    local lock=$1 python began=$SECONDS environment packages
    if is_prepared "$lock" || is_prepared dev; then
        return
    fi
    # To set it up anew would empty the environment of another checkout.
    [[ ! -L $venv ]] || die "The environment $venv is a link to that of another checkout: remove the link first."
    # After the checkout has moved, the environment's programs still name the old folder; after a system upgrade its
    # Python may be gone.
    if ! grep -qsF "$PWD/$venv" "$venv/bin/activate" || ! "$venv/bin/python" -c '' >/dev/null 2>&1; then
        python=$(find_python)
        # Setting up pip takes longer than all the rest, and mostly uv is used.
        if ! "$python" -m venv --clear --without-pip "$venv" >/dev/null 2>&1; then
            rm -rf "$venv"
            die_without_venv "$python"
        fi
    fi
    environment=$((SECONDS - began))
    install "$lock" --require-hashes -r "requirements/$lock.txt"
    install "$lock" --no-deps --no-build-isolation --no-index -e .
    packages=$((SECONDS - began - environment))
    # The installers leave byte-compiling to Python, which does it for what is imported: a tenth of all.
    PYTHONDONTWRITEBYTECODE='' "$venv/bin/python" -c "$first_imports" >"$venv/import.log" 2>&1 ||
        die "The installed packages cannot be loaded: see $venv/import.log."
    printf '%s %s\n' "$(fingerprint "$lock")" "$PWD" >"$venv/fourcorners-$lock.stamp"
    say "Set up in $((SECONDS - began)) s: environment $environment s, packages $packages s, loading them $((SECONDS - began - environment - packages)) s."
}

die_without_venv() {
    die "This Python ($1) cannot create a virtual environment: install its venv module (on Debian and Ubuntu: apt-get install python3-venv)."
}

# install LOCK ARGUMENTS: install packages with uv if possible, which is ten times as fast, or else with pip; or exit
# with an error.
install() {
    local lock=$1 log=$venv/install.log
    shift
    if find_uv && UV_PYTHON_DOWNLOADS=never "$uv" pip install --quiet --python "$venv/bin/python" "$@" >"$log" 2>&1; then
        return
    fi
    install_with_pip "$lock" "$@"
}

# Set `uv` to the uv on the PATH or to the pinned one, which pip installs first; return whether there is one. Someone
# who has configured another package index for pip gets pip, because uv does not read its configuration.
uv=
find_uv() {
    local python pip_settings=("${PIP_CONFIG_FILE:-/etc/pip.conf}" "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf" "$HOME/Library/Application Support/pip/pip.conf")
    if [[ ${PIP_INDEX_URL:-} || ${PIP_NO_INDEX:-} ]] || grep -qsE '^[[:space:]]*(index-url|no-index)' "${pip_settings[@]}"; then
        return 1
    fi
    if [[ -z $uv ]]; then
        uv=$(command -v uv || command -v "$venv/tools/bin/uv" || true)
    fi
    if [[ -z $uv ]]; then
        uv=none
        python=$(find_python)
        if "$python" -m pip install --quiet --disable-pip-version-check --no-compile --retries 1 --require-hashes \
            --target "$venv/tools" -r requirements/uv.txt >"$venv/uv.log" 2>&1; then
            uv=$(command -v "$venv/tools/bin/uv" || echo none)
        fi
    fi
    [[ $uv != none ]]
}

# install_with_pip LOCK ARGUMENTS: run pip install, with a progress bar if stderr is a terminal, or exit with an error.
install_with_pip() {
    local lock=$1 log=$venv/install.log total line count=0 name bar
    shift
    if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        "$venv/bin/python" -m ensurepip --default-pip >"$log" 2>&1 || die_without_venv "$venv/bin/python"
    fi
    total=$(grep -c '^[A-Za-z0-9]' "requirements/$lock.txt")
    if "$venv/bin/python" -m pip install --disable-pip-version-check --no-compile --retries 2 "$@" 2>"$log" |
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
        die "The packages could not be downloaded because no package index could be reached: connect to the network and start again (see $log)."
    fi
    die "Installing the packages failed: see $log."
}

# Exit with an error unless there is a Node that can run the tests of the page's scripts.
find_node() {
    if ! command -v node >/dev/null 2>&1; then
        die "The page's scripts are checked and tested with Node 20 or newer, and none was found: install Node."
    fi
    if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
        die "The page's scripts are checked and tested with Node 20 or newer, and the one found is $(node --version): install a newer one."
    fi
}

# Install the tools for the page's scripts with npm, unless node_modules matches package.json and its lock file.
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

# Compile all games by two processes, one from each end of the list; neither compiles what is compiled already.
compile_games() {
    local games other status=0
    mapfile -t games < <("$venv/bin/python" -c 'import fourcorners as fc; print(*reversed(fc.games()), sep="\n")')
    "$venv/bin/fourcorners" warm "${games[@]}" >/dev/null &
    other=$!
    "$venv/bin/fourcorners" warm || status=$?
    wait "$other" && return "$status"
}

# find_servers [caddy]: make sure that the tests find PostgreSQL and Redis, and Caddy if it is named: from a wheel, from
# the system, or installed with apt-get.
find_servers() {
    local missing
    missing=$("$venv/bin/python" -m tests.servers "$@")
    if [[ $missing && $(id -u) == 0 ]] && command -v apt-get >/dev/null 2>&1; then
        say "Installing $missing with apt-get ..."
        # shellcheck disable=SC2086  # the names of some packages
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$venv/servers.log" 2>&1 || true
        missing=$("$venv/bin/python" -m tests.servers "$@")
    fi
    [[ -z $missing ]] || die "The tests need $missing, which was not found: install it (on Debian and Ubuntu, as root: apt-get install $missing)."
}

# Set FOURCORNERS_BROWSER to a Chromium: the given one, or one from apt-get, on the PATH, or from Playwright; or exit.
find_browser() {
    local found log=$venv/chromium.log
    if [[ ${FOURCORNERS_BROWSER:-} ]]; then
        [[ -x $FOURCORNERS_BROWSER ]] || die "FOURCORNERS_BROWSER is $FOURCORNERS_BROWSER, which is not an executable file."
        return
    fi
    find_on_path() { command -v chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable | head -n 1 || true; }
    found=$(find_on_path)
    # The shell without windows takes half as long as a whole browser, beside which it is tried to install only once.
    if [[ $found != *-headless-shell && ! ($found && -e $log) && $(id -u) == 0 ]] && command -v apt-get >/dev/null 2>&1; then
        say 'Installing Chromium with apt-get ...'
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-dejavu-core; } >"$log" 2>&1 || true
        found=$(find_on_path)
    fi
    if [[ ! $found ]]; then
        say "Downloading Playwright's Chromium ..."
        if "$venv/bin/python" -m playwright install chromium >>"$log" 2>&1; then
            found=$("$venv/bin/python" -c 'from playwright.sync_api import sync_playwright as start
with start() as p: print(p.chromium.executable_path)')
        fi
    fi
    [[ -x $found ]] || die "The browser tests need Chromium, and none was found: install chromium, or name one with FOURCORNERS_BROWSER (see $log)."
    export FOURCORNERS_BROWSER=$found
}
