#!/bin/sh
# As in the public image: what is no command is an argument of Node.
case "$1" in
-*) exec node "$@" ;;
esac
command -v "$1" >/dev/null 2>&1 || exec node "$@"
exec "$@"
