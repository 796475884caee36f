#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = 0 ] && [ -d /var/lib/entrepot ]; then
	echo "entrepot: the data stays in /var/lib/entrepot"
fi
