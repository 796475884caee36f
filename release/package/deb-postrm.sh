#!/bin/sh
# remove keeps settings and data. purge deletes the settings, and the data if that is what the administrator answers.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
[ "$1" = purge ] || exit 0
delete=false
if [ -e /usr/share/debconf/confmodule ]; then
	. /usr/share/debconf/confmodule
	db_input high entrepot/purge-data || true
	db_go || true
	db_get entrepot/purge-data && delete=$RET
	db_purge
	db_stop
fi
if [ "$delete" = true ]; then
	rm -rf /var/lib/entrepot
	userdel entrepot 2>/dev/null || true
elif [ -d /var/lib/entrepot ]; then
	echo "entrepot: the data stays in /var/lib/entrepot"
fi
