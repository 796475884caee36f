#!/bin/sh
# configure, then the version before, which is empty at the first installation.
set -e
[ "$1" = configure ] || exit 0
. /usr/share/debconf/confmodule
db_stop

if ! id entrepot >/dev/null 2>&1; then
	useradd --system --user-group --home-dir /var/lib/entrepot --no-create-home --shell /usr/sbin/nologin entrepot
fi
install -d -m 0700 -o entrepot -g entrepot /var/lib/entrepot
if [ -z "$2" ]; then
	chgrp entrepot /etc/entrepot/entrepot.conf # it may hold passwords, so nobody else reads it
fi

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	if [ -z "$2" ]; then
		systemctl enable --now entrepot.service
	else
		systemctl try-restart entrepot.service
	fi
fi
if [ -z "$2" ]; then
	echo "entrepot: the service's log shows the link that creates the first account: journalctl -u entrepot"
fi
