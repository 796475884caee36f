#!/bin/sh
# After installation and upgrade.
set -e
if ! id entrepot >/dev/null 2>&1; then
	addgroup -S entrepot
	adduser -S -D -H -h /var/lib/entrepot -s /sbin/nologin -G entrepot entrepot
	chgrp entrepot /etc/entrepot/entrepot.conf
	echo "entrepot: start the service with: rc-update add entrepot && rc-service entrepot start"
	echo "entrepot: /var/log/entrepot.log then shows the link that creates the first account"
fi
install -d -m 0700 -o entrepot -g entrepot /var/lib/entrepot
