#!/bin/sh
# Runs once, on an empty volume: a role of its own for each tenant of the server, neither of them a superuser.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set database_password="$DATABASE_PASSWORD" --set temporal_password="$TEMPORAL_DATABASE_PASSWORD" <<'SQL'
create role countersign login password :'database_password';
create database countersign owner countersign;
create role temporal login createdb password :'temporal_password';
SQL
