. "$BEFORE/off.sh"
