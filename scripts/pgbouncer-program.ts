/**
 * The program of PgBouncer, of any release and of one that keeps prepared statements (1.21): as it is installed, from Debian's
 * package, or built from the source package of a newer Debian.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type PgbouncerProgram =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly advice: string };

const INSTALLED = '/usr/sbin/pgbouncer';
const PACKAGE = 'pgbouncer';
const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** The release that keeps prepared statements in transaction mode (max_prepared_statements). */
const WITH_PREPARED_STATEMENTS = [1, 21] as const;
/** The first Debian that has it. */
const SOURCE_SUITE = 'trixie';
const BUILD_PACKAGES = ['gcc', 'make', 'pkg-config', 'libevent-dev', 'libssl-dev'];
const BUILT = fileURLToPath(new URL(`../.cache/pgbouncer/${SOURCE_SUITE}-${process.arch}/pgbouncer`, import.meta.url));

export function ensurePgbouncer(): PgbouncerProgram {
  if (!existsSync(INSTALLED) && isDebianRoot) install('PgBouncer for the tests', PACKAGE);
  if (existsSync(INSTALLED)) return { kind: 'found', path: INSTALLED };
  return {
    kind: 'missing',
    advice: `The tests behind PgBouncer need it (Debian, Ubuntu: apt-get install ${PACKAGE}).`,
  };
}

/** TEST_PGBOUNCER names the program; otherwise the installed one if it is new enough, otherwise one is built, once. */
export function ensureRecentPgbouncer(): PgbouncerProgram {
  const candidates = [process.env.TEST_PGBOUNCER, INSTALLED, BUILT];
  const found = candidates.find(path => path !== undefined && keepsPreparedStatements(path));
  if (found) return { kind: 'found', path: found };
  if (isDebianRoot && build() && keepsPreparedStatements(BUILT)) return { kind: 'found', path: BUILT };
  return {
    kind: 'missing',
    advice:
      `The tests behind PgBouncer in transaction mode need release ${WITH_PREPARED_STATEMENTS.join('.')} or later, in ${INSTALLED} ` +
      'or where TEST_PGBOUNCER says. As root on Debian they build it from the source package of a newer Debian.',
  };
}

function keepsPreparedStatements(path: string): boolean {
  if (!existsSync(path)) return false;
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= WITH_PREPARED_STATEMENTS[1]);
}

/** apt checks the signature of what it downloads. Its own lists and sources stay as they are. */
function build(): boolean {
  install('what builds PgBouncer', ...BUILD_PACKAGES);
  const archive = debianArchive();
  if (archive === undefined) return false;
  process.stdout.write(`Building PgBouncer from the source package of Debian ${SOURCE_SUITE} …\n`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-build-'));
  const sources = join(folder, 'sources.list');
  mkdirSync(join(folder, 'lists', 'partial'), { recursive: true });
  writeFileSync(sources, `deb-src ${archive} ${SOURCE_SUITE} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${join(folder, 'lists')}`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
    'APT::Sandbox::User=root',
  ].flatMap(option => ['-o', option]);
  try {
    return (
      runs(folder, 'apt-get', [...options, 'update', '-qq']) &&
      runs(folder, 'apt-get', [...options, 'source', '-qq', '--download-only', PACKAGE]) &&
      compile(folder)
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The address from which this machine installs its own packages has those of the other releases too. */
function debianArchive(): string | undefined {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(ORIGIN) $(LABEL) $(REPO_URI)'], {
    encoding: 'utf8',
  });
  return /^Debian Debian (\S+)$/m.exec(stdout ?? '')?.[1];
}

function compile(folder: string): boolean {
  const archive = readdirSync(folder).find(name => /\.orig\.tar\.\w+$/.test(name));
  const source = join(folder, 'source');
  mkdirSync(source);
  const made =
    archive !== undefined &&
    runs(source, 'tar', ['--extract', '--strip-components=1', '--file', join(folder, archive)]) &&
    // Not optimised: nobody measures it here, and it compiles in a third of the time.
    runs(source, './configure', ['--quiet', '--without-cares', 'CFLAGS=-O0']) &&
    runs(source, 'make', [`-j${availableParallelism()}`, 'pgbouncer']);
  if (!made) return false;
  mkdirSync(join(BUILT, '..'), { recursive: true });
  // Only a complete program has the name that is looked for; another process may be building it as well.
  if (!runs(source, 'cp', ['pgbouncer', `${BUILT}.${process.pid}`])) return false;
  renameSync(`${BUILT}.${process.pid}`, BUILT);
  return true;
}

function install(what: string, ...packages: string[]): void {
  process.stdout.write(`Installing ${what} (apt-get install ${packages.join(' ')}) …\n`);
  runs('/', 'apt-get', ['update', '-qq']);
  runs('/', 'apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

function runs(cwd: string, command: string, args: readonly string[]): boolean {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    // In runlevel 1 the package does not start the service it brings.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
  return status === 0;
}
