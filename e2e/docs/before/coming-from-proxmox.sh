. "$BEFORE/web.sh"
