/**
 * `npm run citus:build -- FOLDER`: builds Citus for PostgreSQL 15 from its public source (v13.2) in FOLDER and installs it into
 * that PostgreSQL, as root. FOLDER stays as it is. PG_CONFIG names another PostgreSQL than that of Debian.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PACKAGES =
  'postgresql-15 postgresql-server-dev-15 build-essential libicu-dev liblz4-dev libzstd-dev libssl-dev libkrb5-dev ' +
  'libxml2-dev libxslt1-dev libreadline-dev flex';
/** PostgreSQL 15 exports a function of this name since one of its minor releases; Citus has its own. */
const TAKEN_NAME = /\bhave_createdb_privilege\b/g;

const pgConfig = process.env.PG_CONFIG ?? '/usr/lib/postgresql/15/bin/pg_config';
const [given] = process.argv.slice(2);
if (given === undefined) fail(64, 'Usage: npm run citus:build -- FOLDER_WITH_THE_SOURCE_OF_CITUS');
const source = resolve(given);
if (!existsSync(join(source, 'configure'))) fail(66, `${source} has no source of Citus: there is no configure in it.`);
if (!existsSync(pgConfig)) fail(69, `${pgConfig} is missing. On Debian: apt-get install ${PACKAGES}`);

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-citus-'));
try {
  // With new times make would take `configure` for older than its source, and call autoconf.
  cpSync(source, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  for (const file of globSync('src/**/*.{c,h}', { cwd: folder })) renameIn(join(folder, file));
  run('./configure', `PG_CONFIG=${pgConfig}`, '--without-libcurl');
  run('make', `-j${availableParallelism()}`);
  run('make', 'install');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function renameIn(file: string): void {
  const text = readFileSync(file, 'latin1');
  const renamed = text.replaceAll(TAKEN_NAME, 'citus_have_createdb_privilege');
  if (renamed !== text) writeFileSync(file, renamed, 'latin1');
}

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
}

function fail(code: number, line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}
