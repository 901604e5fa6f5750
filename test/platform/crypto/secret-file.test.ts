import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readConfig } from '../../../src/platform/config/config.ts';
import { loadSecrets } from '../../../src/platform/crypto/secret-file.ts';
import { type TemporaryFolder, temporaryFolder } from '../../store/temporary-folder.ts';

describe('the secret of the embedded store (running.md: GATEHOUSE_SECRET)', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const load = (env: Record<string, string> = {}, storeIsEmpty = true) => {
    const read = readConfig({ DATABASE_URL: `sqlite:${folder.file('data/gatehouse.db')}`, ...env });
    assert(read.kind === 'valid');
    return loadSecrets(read.config, { bytes: randomBytes }, storeIsEmpty);
  };

  it('is made on the first start, readable by its owner alone, and found again', () => {
    const [made] = load();
    assert.match(made ?? '', /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(load(), [made]);
    assert.equal(statSync(folder.file('data/gatehouse.secret')).mode & 0o777, 0o600);
    assert.equal(statSync(folder.file('data')).mode & 0o777, 0o700);
    assert.equal(readFileSync(folder.file('data/gatehouse.secret'), 'utf8').trim(), made);
  });

  it('is not made when one is given', () => {
    const given = `${'n'.repeat(32)},${'o'.repeat(32)}`;
    assert.deepEqual(load({ GATEHOUSE_SECRET: given }), given.split(','));
    assert.equal(existsSync(folder.file('data/gatehouse.secret')), false);
  });

  it('is not made for a store that has data: it would open nothing of it', () => {
    assert.throws(() => load({}, false), new RegExp(`${folder.file('data/gatehouse.secret')} is missing`));
    assert.equal(existsSync(folder.file('data/gatehouse.secret')), false);
    const [made] = load();
    assert.deepEqual(load({}, false), [made], 'one that is there is used');
  });

  for (const [what, content] of [
    ['empty, as a crash or a start at the same moment leaves it', ''],
    ['too short', 'short\n'],
  ] as const) {
    it(`is refused when the file is ${what}: everything is sealed with it`, () => {
      load();
      writeFileSync(folder.file('data/gatehouse.secret'), content);
      assert.throws(() => load(), /gatehouse\.secret/);
    });
  }
});
