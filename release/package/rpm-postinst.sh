#!/bin/sh
# 1 at the first installation, 2 at an upgrade.
set -e
if ! id entrepot >/dev/null 2>&1; then
	useradd --system --user-group --home-dir /var/lib/entrepot --no-create-home --shell /sbin/nologin entrepot
fi
install -d -m 0700 -o entrepot -g entrepot /var/lib/entrepot
if [ "$1" = 1 ]; then
	chgrp entrepot /etc/entrepot/entrepot.conf
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	if [ "$1" = 1 ]; then
		systemctl preset entrepot.service
	else
		systemctl try-restart entrepot.service
	fi
fi
if [ "$1" = 1 ]; then
	echo "entrepot: start the service with: systemctl enable --now entrepot"
	echo "entrepot: its log then shows the link that creates the first account: journalctl -u entrepot"
fi
