#!/bin/sh
# Makes the question of postrm known to debconf; nothing is asked at installation.
set -e
. /usr/share/debconf/confmodule
