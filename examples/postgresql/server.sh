# Read by the others: the folder of the programs, and how to run them. A server refuses to be run by root.
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
if [ "$(id -u)" = 0 ]; then
  as="setpriv --reuid=postgres --regid=postgres --clear-groups"
  own() { chown -R postgres:postgres "$1"; }
else
  as=
  own() { :; }
fi
