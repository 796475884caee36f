#!/bin/bash
# The life of the deb in a fresh Debian: an overlay of this one, in which nothing is changed. Called as root in a mount namespace of
# its own: deb.sh DEB FOLDER PORT. FOLDER is empty and not on an overlay.
set -euo pipefail
deb=$1 work=$2 port=$3
root=$work/root
service=
trap 'echo "FAILED: line $LINENO"' ERR
trap '[ -z "$service" ] || kill "$service" 2>/dev/null || true' EXIT

fail() { echo "FAILED: $*"; exit 1; }
step() { echo "== $*"; }
enter=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8)
become=(setpriv --reuid entrepot --regid entrepot --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all)
inside() { "${enter[@]}" DEBIAN_FRONTEND="${frontend:-noninteractive}" chroot "$root" "$@"; }
as_service() { inside "${become[@]}" "$@"; }
state() { inside dpkg-query -W -f '${db:Status-Status}' entrepot; }

# start runs what the unit says, as the unit's user.
start() {
	command=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/entrepot.service")
	[ -n "$command" ] || fail "the unit has no command"
	"${enter[@]}" chroot "$root" "${become[@]}" $command 2>"$work/log" &
	service=$!
	for _ in $(seq 600); do
		if as_service /usr/bin/entrepot health --config /etc/entrepot/entrepot.conf >/dev/null 2>&1; then return; fi
		kill -0 "$service" 2>/dev/null || fail "the service ended: $(cat "$work/log")"
		sleep 0.1
	done
	fail "the service is not ready: $(cat "$work/log")"
}
stop() {
	kill -TERM "$service"
	wait "$service" || fail "SIGTERM: exit code $?: $(cat "$work/log")"
	service=
}

mkdir "$work/upper" "$work/overlay" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/overlay" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
cp "$deb" "$root/tmp/entrepot.deb"

step install
inside dpkg -i /tmp/entrepot.deb
[ "$(state)" = installed ] || fail "dpkg says $(state)"
[ -z "$(inside dpkg -V entrepot)" ] || fail "files differ from the package"
[ "$(stat -c '%a %U %G' "$root/etc/entrepot")" = "755 root root" ] || fail "the folder of the settings"
[ "$(inside stat -c '%a %U %G' /etc/entrepot/entrepot.conf)" = "640 root entrepot" ] || fail "rights of the settings"
[ "$(inside stat -c '%a %U %G' /var/lib/entrepot)" = "700 entrepot entrepot" ] || fail "rights of the data"
inside systemd-analyze verify --man=no /usr/lib/systemd/system/entrepot.service || fail "the unit"
inside man -w entrepot >/dev/null || fail "no manual page"
inside bash -c '. /usr/share/bash-completion/completions/entrepot' || fail "completions"

step configure
sed -i "s/^addr = .*/addr = 127.0.0.1:$port/" "$root/etc/entrepot/entrepot.conf"
as_service entrepot config print --config /etc/entrepot/entrepot.conf | grep -q "127.0.0.1:$port  *file" || fail "the settings are not read"

step "start by the unit's command"
start
curl -fsS "http://127.0.0.1:$port/healthz" | grep -q '"version":"0' || fail "no version"
grep -q 'http[^"]*/dashboard/setup' "$work/log" || fail "the log shows no link: $(cat "$work/log")"
as_service entrepot account create --name Shop --owner-email owner@shop.example --owner-password - \
	--config /etc/entrepot/entrepot.conf <<<'a long passphrase' || fail "no account"
as_service entrepot backup /var/lib/entrepot/copy.db --config /etc/entrepot/entrepot.conf
key=$(sha256sum "$root/var/lib/entrepot/master.key")
stop

step "upgrade keeps edited settings"
cp -r "$deb" "$work/next.deb"
dpkg-deb -R "$work/next.deb" "$work/next"
sed -i 's/^Version: .*/Version: 99.0.0-1/' "$work/next/DEBIAN/control"
echo "# A setting of a later version." >>"$work/next/etc/entrepot/entrepot.conf"
dpkg-deb -Znone -b "$work/next" "$root/tmp/next.deb" >/dev/null
inside dpkg --force-confold -i /tmp/next.deb
[ "$(inside dpkg-query -W -f '${Version}' entrepot)" = 99.0.0-1 ] || fail "not upgraded"
grep -q "^addr = 127.0.0.1:$port$" "$root/etc/entrepot/entrepot.conf" || fail "edited settings are lost"
[ "$(inside stat -c '%a %U %G' /etc/entrepot/entrepot.conf)" = "640 root entrepot" ] || fail "rights of the settings after the upgrade"
[ -e "$root/etc/entrepot/entrepot.conf.dpkg-dist" ] || fail "the new settings are not beside the edited ones"
start
[ "$(sha256sum "$root/var/lib/entrepot/master.key")" = "$key" ] || fail "another master key"
stop

step "remove keeps settings and data"
inside dpkg -r entrepot
[ ! -e "$root/usr/bin/entrepot" ] || fail "the program is still there"
[ -e "$root/etc/entrepot/entrepot.conf" ] && [ -e "$root/var/lib/entrepot/master.key" ] || fail "settings or data are gone"

step "purge keeps the data unless told otherwise"
inside dpkg -P entrepot
[ ! -e "$root/etc/entrepot/entrepot.conf" ] || fail "the settings are still there"
[ -e "$root/var/lib/entrepot/master.key" ] || fail "the data are gone without an answer"

step "installed again, it finds its data"
inside dpkg -i /tmp/entrepot.deb
sed -i "s/^addr = .*/addr = 127.0.0.1:$port/" "$root/etc/entrepot/entrepot.conf"
start
as_service entrepot account list --config /etc/entrepot/entrepot.conf | grep -q Shop || fail "the account is gone"
stop

step "purge asks, and deletes the data if the answer is yes"
echo yes | frontend=teletype inside dpkg -P entrepot | tee "$work/purged"
grep -q "Delete all data of entrepot" "$work/purged" || fail "nothing was asked"
[ ! -e "$root/var/lib/entrepot" ] || fail "the data are still there"
inside id entrepot 2>/dev/null && fail "the user is still there"
echo PASSED
