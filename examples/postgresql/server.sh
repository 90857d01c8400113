# Sourced by the other scripts: where PostgreSQL's programs are and how to run them (its server refuses to run as root).
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
if [ "$(id -u)" = 0 ]; then
  as="setpriv --reuid=postgres --regid=postgres --clear-groups"
  own() { chown -R postgres:postgres "$1"; }
else
  as=
  own() { :; }
fi
