import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, it, type TestContext } from 'node:test';
import { BASIC, GATEHOUSE_SECRET } from '../../bench/fixture.ts';
import { prepareGatehouse } from '../../bench/servers/gatehouse.ts';
import { aTokenSet, introspect, post, refresh } from '../build/client.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { launch, provisioned, type ServerOptions, type ServerProcess, startServer } from './server-process.ts';

/** What a test has to take back, the last thing first: a mount goes before its folder. */
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

/** A disk that a test can fill up and clear again. */
interface Disk {
  readonly folder: string;
  /** What the server has to be started under to be on it. */
  readonly under: readonly string[];
  fill(server: ServerProcess | undefined): void;
  clear(server: ServerProcess): void;
}

const isRoot = process.getuid?.() === 0;

/** A small file system of its own: really full. Only root can mount one. */
function smallDisk(folder: TemporaryFolder): Disk {
  const path = folder.file('disk');
  mkdirSync(path);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'none', path]);
  undo.push(() => execFileSync('umount', ['--lazy', path]));
  const ballast = `${path}/ballast`;
  return {
    folder: path,
    under: [],
    fill: () => {
      const file = openSync(ballast, 'w');
      try {
        for (;;) writeSync(file, Buffer.alloc(4096));
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(ballast),
  };
}

/** No file may grow: the same fault by a limit of the process, which needs no root to set. */
function noGrowth(folder: TemporaryFolder): Disk {
  const path = folder.file('disk');
  mkdirSync(path);
  const limit = (server: ServerProcess, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`]);
  return {
    folder: path,
    // SIGXFSZ is ignored, so that the limit shows as an error of the system call, as a full disk does.
    under: ['sh', '-c', 'trap "" XFSZ; exec "$@"', 'sh'],
    fill: server => server && limit(server, '4096'),
    clear: server => limit(server, 'unlimited'),
  };
}

const disks = [isRoot ? (['a full disk', smallDisk] as const) : (['a file that may not grow', noGrowth] as const)];

const REFUSALS = 20;

describe('SQLite on a disk that fails', () => {
  for (const [name, make] of disks) {
    it(`${name}: writes get 503 and reads go on; with space again the same process goes on, and nothing is lost`, async t => {
      const folder = aFolder();
      const disk = make(folder);
      const database = await provisionedIn(disk.folder);
      const server = await started({ database, under: disk.under });
      const { access_token, refresh_token } = await aTokenSet(server);
      const acknowledged: string[] = [access_token];
      let newest: string = refresh_token;
      /** One refresh; true when it was served. */
      const next = async () => {
        const answered = await refresh(server, newest);
        if (answered.status === 200) {
          newest = answered.json.refresh_token;
          acknowledged.push(answered.json.access_token);
          return true;
        }
        assert.equal(answered.status, 503, answered.text);
        assert.equal(answered.json.error, 'temporarily_unavailable');
        assert.match(answered.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
        return false;
      };

      assert(await next());
      disk.fill(server);
      let refused = 0;
      let served = 0;
      while (refused < REFUSALS && served < 5000) (await next()) ? served++ : refused++;
      assert.equal(refused, REFUSALS, 'the disk did not get full');
      for (const token of acknowledged) await assertActive(server, token);
      assert.match(server.output(), /"event":"store\.unavailable","request":"[^"]+","message":"[^"]+"/);
      assert.doesNotMatch(server.output(), /request\.fault|reply\.fault/);

      disk.clear(server);
      for (let count = 0; count < 10; count++) assert(await next(), 'there is space again, and it does not write');
      for (const token of acknowledged) await assertActive(server, token);
      assert.equal(await server.kill('SIGTERM'), 0);
      const after = await started({ database });
      for (const token of acknowledged) await assertActive(after, token);
      assert.equal((await refresh(after, newest)).status, 200);
      assert.equal(await after.kill('SIGTERM'), 0);
      assertSound(database);
      t.diagnostic(`${served} writes served on the last space, ${refused} refused, ${acknowledged.length} kept`);
    });
  }

  if (isRoot) {
    it('a start on a full disk says so in one line and exits 69', async t => {
      const disk = smallDisk(aFolder());
      disk.fill(undefined);
      await assertRefusesToStart(t, { database: `${disk.folder}/gatehouse.db` }, /database or disk is full$/);
    });
  }

  it('a start on a file or folder that is read-only says so in one line and exits 69, and changes nothing', async t => {
    const folder = aFolder();
    mkdirSync(folder.file('data'));
    const database = await provisionedIn(folder.file('data'));
    const before = readFileSync(database);
    makeReadOnly(folder.file('data'));
    await assertRefusesToStart(t, { database }, /it or its folder is read-only$/);
    assert.deepEqual(readFileSync(database), before);
  });

  it('a database of a newer release is refused at the start with one line and exit 69, and left as it is', async t => {
    const database = await provisionedIn(aFolder().file(''));
    const file = new DatabaseSync(database);
    file.exec('PRAGMA user_version = 9999');
    file.close();
    await assertRefusesToStart(t, { database }, /schema is number 9999, this release knows \d+: use a newer release/);
    const again = new DatabaseSync(database, { readOnly: true });
    assert.equal(again.prepare('PRAGMA user_version').get()?.user_version, 9999);
    again.close();
  });

  it('destroyed pages are never answered from: 503 for what is on them, the truth for the rest', async t => {
    const folder = aFolder();
    await prepareGatehouse({ folder: folder.file('') }, { tokens: 3000 });
    const database = folder.file('gatehouse.db');
    destroyMiddle(database);
    const tokens = readFileSync(folder.file('gatehouse-access.txt'), 'utf8').trim().split('\n');
    const server = await started({ database, env: { GATEHOUSE_SECRET } });
    const counted: Record<number, number> = {};
    for (let index = 0; index < tokens.length; index += 15) {
      const url = `${server.at('bench')}/introspect`;
      const { status, json, text, headers } = await post(url, { token: tokens[index] ?? '' }, { auth: BASIC });
      counted[status] = (counted[status] ?? 0) + 1;
      if (status === 200) assert.equal(json.active, true, 'a live token was called dead');
      else {
        assert.equal(status, 503, text);
        assert(headers.get('retry-after'));
      }
    }
    t.diagnostic(`answers by status: ${JSON.stringify(counted)}`);
    assert((counted[503] ?? 0) > 0, 'no destroyed page was touched');
    assert.match(server.output(), /"event":"store\.unavailable".*malformed/);
    assert.doesNotMatch(server.output(), /request\.fault|reply\.fault/);
    assert.equal(await server.kill('SIGTERM'), 0);
  });
});

function aFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  undo.push(() => folder.remove());
  return folder;
}

async function provisionedIn(folder: string): Promise<string> {
  const database = `${folder}/gatehouse.db`;
  await provisioned(database);
  return database;
}

async function started(options: ServerOptions): Promise<ServerProcess> {
  const server = await startServer(options);
  undo.push(() => server.kill('SIGKILL'));
  return server;
}

async function assertActive(server: ServerProcess, token: string): Promise<void> {
  const { status, json } = await introspect(server, { token });
  assert.equal(status, 200);
  assert.equal(json.active, true, 'a token that was answered is gone');
}

function assertSound(database: string): void {
  const file = new DatabaseSync(database, { readOnly: true });
  assert.equal(file.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  file.close();
}

const EXIT_UNAVAILABLE = 69;

async function assertRefusesToStart(t: TestContext, options: ServerOptions, reason: RegExp): Promise<void> {
  const server = await launch(options);
  undo.push(() => server.kill('SIGKILL'));
  assert.equal(await server.ended, EXIT_UNAVAILABLE, server.output());
  const lines = server.output().trimEnd().split('\n');
  assert.equal(lines.length, 1, server.output());
  assert.match(lines[0] ?? '', /^cannot open the database .*gatehouse\.db: /);
  assert.match(lines[0] ?? '', reason);
  t.diagnostic(lines[0] ?? '');
}

/** Permissions do not hold for root; a read-only mount does. */
function makeReadOnly(path: string): void {
  if (isRoot) {
    execFileSync('mount', ['--bind', path, path]);
    undo.push(() => execFileSync('umount', ['--lazy', path]));
    execFileSync('mount', ['-o', 'remount,bind,ro', path]);
    return;
  }
  chmodSync(`${path}/gatehouse.db`, 0o444);
  chmodSync(path, 0o555);
  undo.push(() => chmodSync(path, 0o755));
}

/** A fifth of the file, from the middle on; the header and the schema stay. */
function destroyMiddle(database: string): void {
  const bytes = readFileSync(database);
  const page = 4096;
  const from = Math.floor((bytes.length * 0.5) / page) * page;
  writeFileSync(database, bytes.fill(0xa5, from, from + Math.floor((bytes.length * 0.2) / page) * page));
}
