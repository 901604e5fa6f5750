import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { run } from '../assembly/run.ts';
import { ROOT } from '../packaging/outside.ts';
import { operatorPath } from './operator.ts';
import { suiteGuide } from './run-guide.ts';

describe('docs/guides/updating.md', () => {
  const env = { PATH: operatorPath(), DATABASE_URL: 'sqlite:gatehouse.db' };
  const guide = suiteGuide('updating', { ports: [3000], env });
  before(async () => {
    const file = join(guide.folder, 'shop.yaml');
    writeFileSync(file, 'applications: [{ code: shop, name: Shop }]\n');
    const program = join(ROOT, 'src/gatehouse.ts');
    const applied = await run(process.execPath, [program, 'apply', file], env, guide.folder);
    assert.equal(applied.code, 0, applied.err);
  });

  it('makes a backup, migrates, and finds the configuration as it was', async () => {
    const status = await guide.section('Before');
    assert.match(status, /^migration +\d+$/m);
    assert(existsSync(join(guide.folder, 'before-the-update.db')));
    await guide.section('Update');
    assert.match(await guide.section('After'), /Nothing to change|no (changes|difference)|unchanged/i);
  });

  it('names a version that has a section in the changelog', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}, `));
  });
});
