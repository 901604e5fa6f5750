import assert from 'node:assert/strict';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { ensureSystemdAnalyze } from '../../scripts/systemd.ts';
import { EXIT } from '../../src/operators/cli/exit.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { run } from '../assembly/run.ts';
import { suitePart } from '../build/suite-part.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { ROOT } from './outside.ts';

const text = readFileSync(join(ROOT, 'packaging/gatehouse.service'), 'utf8');
const INSTALLED = '/opt/gatehouse';
/** Of 100; the unit has 14. */
const MAX_EXPOSURE = 15;
const analyze = ensureSystemdAnalyze();

/** The values of each name, in order. */
function readUnit(): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    if (/^(#|\[[A-Z]\w+\]$|$)/.test(line)) continue;
    const [, name = '', value = ''] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? assert.fail(`not a setting: ${line}`);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

describe('the unit of systemd (issue 13, point 3)', () => {
  const unit = readUnit();
  const one = (name: string) => {
    const [value, ...more] = unit.get(name) ?? [];
    assert.deepEqual(more, [], name);
    return value;
  };

  it('starts the command of the package, as a user of its own', () => {
    const [program = '', ...args] = one('ExecStart')?.split(' ') ?? [];
    accessSync(program.replace(INSTALLED, ROOT), constants.X_OK);
    assert.deepEqual(args, ['serve']);
    assert.equal(one('User'), 'gatehouse');
  });

  it('keeps the embedded store in the only folder it may write to', () => {
    const [name, value] = one('Environment')?.split(/=(.*)/) ?? [];
    const read = readConfig({ [name ?? '']: value });
    assert(read.kind === 'valid' && read.config.database.kind === 'sqlite');
    assert.equal(read.config.database.path, `/var/lib/${one('StateDirectory')}/gatehouse.db`);
    assert.equal(one('StateDirectoryMode'), '0700');
    assert.equal(one('ProtectSystem'), 'strict');
    assert.equal(unit.has('ReadWritePaths'), false);
  });

  it('does not restart on wrong settings, and leaves the time to drain', () => {
    assert.equal(one('Restart'), 'on-failure');
    assert.equal(one('RestartPreventExitStatus'), String(EXIT.configuration));
    assert.equal(one('KillMode'), 'mixed');
    assert(Number(one('TimeoutStopSec')) > 10);
  });

  it('takes away what the server does not need', () => {
    for (const name of ['NoNewPrivileges', 'PrivateTmp', 'PrivateDevices', 'ProtectHome', 'PrivateUsers']) {
      assert.equal(one(name), 'yes', name);
    }
    assert.equal(one('CapabilityBoundingSet'), '');
    assert.deepEqual(unit.get('SystemCallFilter'), ['@system-service', '~@privileged']);
    // V8 could not compile.
    assert.equal(unit.has('MemoryDenyWriteExecute'), false);
  });

  // Where systemd is not to be had, the tests above are all there is.
  if (analyze.kind === 'found') {
    let file: string;
    const folder = suitePart(temporaryFolder);
    before(() => {
      file = folder.file('gatehouse.service');
      writeFileSync(file, text.replaceAll(`${INSTALLED}/`, ROOT));
    });

    it('passes systemd-analyze verify without a word', async () => {
      assert.deepEqual(await run(analyze.path, ['verify', file]), { code: 0, out: '', err: '' });
    });

    it(`has an exposure of at most ${MAX_EXPOSURE} of 100 by systemd-analyze security`, async () => {
      const ran = await run(analyze.path, ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, file]);
      assert.equal(ran.code, 0, ran.out);
    });
  }
});
