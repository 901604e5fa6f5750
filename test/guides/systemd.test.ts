import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { ensureSystemdAnalyze } from '../../scripts/systemd.ts';
import { type Env, run, type Started, start } from '../assembly/run.ts';
import { suitePart } from '../build/suite-part.ts';
import { ROOT } from '../packaging/outside.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { operatorPath } from './operator.ts';
import { openGuide } from './run-guide.ts';

const NO_SYSTEMD = 'needs a machine that was booted with systemd; the test starts what the unit starts';
const NOT_RUN = {
  'cd /opt/gatehouse && npm ci': 'takes minutes; test/packaging/production-install.test.ts runs it',
  'cd /opt/gatehouse && git pull': 'there is no other release to fetch',
  'useradd ': 'changes the users of the machine',
  'systemctl ': NO_SYSTEMD,
  'journalctl ': NO_SYSTEMD,
};

/** What systemd-run does with these options: the environment and the command. Another option is a fault. */
const SYSTEMD_RUN = `#!/bin/sh
while :; do
  case $1 in
    --setenv=*) export "\${1#--setenv=}" ;;
    --property=EnvironmentFile=-*) file=\${1#--property=EnvironmentFile=-} ;;
    --quiet | --pipe | --wait | --collect | --uid=gatehouse) ;;
    -*) echo "unknown option $1" >&2; exit 64 ;;
    *) break ;;
  esac
  shift
done
set -a; . "$file"; set +a
exec "$@"
`;
const SHOP = 'applications: [{ code: shop, name: Shop }]\n';

describe('docs/guides/systemd.md', () => {
  let server: Started | undefined;
  const unit = () => readFileSync(machine.file('system/gatehouse.service'), 'utf8');
  const machine = suitePart(temporaryFolder, part => part.remove());
  after(() => server?.destroy());
  const guide = suitePart(async () => {
    for (const name of ['system', 'bin', 'state', 'tools']) mkdirSync(machine.file(name));
    writeFileSync(machine.file('tools/systemd-run'), SYSTEMD_RUN);
    chmodSync(machine.file('tools/systemd-run'), 0o755);
    const replace: Record<string, string> = {
      '/etc/systemd/system': machine.file('system'),
      '/usr/local/bin': machine.file('bin'),
      '/var/lib/gatehouse': machine.file('state'),
      '/etc/gatehouse.env': machine.file('gatehouse.env'),
    };
    const env = { PATH: operatorPath(machine.file('bin'), machine.file('tools')) };
    const opened = await openGuide('systemd', { ports: [3000], replace, notRun: NOT_RUN, env });
    replace['/opt/gatehouse'] = opened.folder;
    writeFileSync(join(opened.folder, 'shop.yaml'), SHOP);
    return opened;
  });

  it('installs the unit, which systemd accepts, and the command', async () => {
    await guide.section('Install');
    const analyze = ensureSystemdAnalyze();
    // Where systemd is not to be had, test/packaging/systemd.test.ts has read every setting of the unit.
    if (analyze.kind === 'found') {
      const file = machine.file('gatehouse.service');
      writeFileSync(file, unit().replaceAll('/opt/gatehouse/', ROOT));
      assert.deepEqual(await run(analyze.path, ['verify', file]), { code: 0, out: '', err: '' });
    }
    assert(existsSync(machine.file('bin/gatehouse')));
  });

  it('has settings that are valid, in a file for root alone', async () => {
    await guide.section('Settings');
    assert.equal(statSync(machine.file('gatehouse.env')).mode & 0o777, 0o600);
  });

  it('the unit starts with these settings, and prints the link for the first owner', async () => {
    await guide.section('Start');
    const [, command = '', argument = ''] = /^ExecStart=(\S+) (\S+)$/m.exec(unit()) ?? [];
    const [, database = ''] = /^Environment=(DATABASE_URL=\S+)$/m.exec(unit()) ?? [];
    const settings = parseEnv(
      `${guide.place(database)}\n${readFileSync(machine.file('gatehouse.env'), 'utf8')}`,
    ) as Env;
    server = start(
      guide.place(command),
      [argument],
      { ...settings, PORT: String(guide.port(3000)) },
      machine.file('state'),
    );
    await server.printed('"event":"started"');
    assert.match(
      server.output(),
      /"event":"owner\.missing","link":"https:\/\/id\.example\.com\/first-owner\?token=[^"]+"/,
    );
    assert(existsSync(machine.file('state/gatehouse.secret')));
  });

  it('commands work on the store of the server, as the guides write them', async () => {
    const printed = await guide.section('Commands');
    assert.match(printed, /^application shop: created$/m);
    assert.match(printed, /^RS256 {2}signing /m);
  });

  it('a stop is a clean end, and the rest removes what was installed', async () => {
    await guide.section('Update');
    assert.equal(await server?.stop(), 0);
    await guide.section('Remove');
    assert(!existsSync(machine.file('bin/gatehouse')) && !existsSync(machine.file('system/gatehouse.service')));
    assert(existsSync(machine.file('state/gatehouse.db')));
  });

  it('has no command that is not run, or named with the reason', () => assert.deepEqual(guide.left(), []));
});
