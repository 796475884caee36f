#!/bin/sh
# 0 at the removal, 1 at an upgrade.
set -e
if [ "$1" = 0 ] && [ -d /run/systemd/system ]; then
	systemctl disable --now entrepot.service
fi
