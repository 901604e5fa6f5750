import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import tls from 'node:tls';
import { parseEnv } from 'node:util';
import { type Env, type StartedProcess, start } from '../assembly/run.ts';
import { suitePart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import { formWith, Visitor } from '../build/visitor.ts';
import { ROOT } from '../packaging/outside.ts';
import { openMachines } from './machines.ts';
import { operatorPath } from './operator.ts';
import { openGuide } from './run-guide.ts';

const NO_SYSTEMD = 'needs a machine that was booted with systemd; the test starts what the unit starts';
const NOT_RUN = {
  'systemctl ': NO_SYSTEMD,
  'journalctl ': NO_SYSTEMD,
  'chown gatehouse ': 'the machine has no such user',
};

const mailsIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).map(file => readFileSync(join(folder, file), 'utf8')) : [];

describe('docs/guides/small-company.md', () => {
  let server: StartedProcess | undefined;
  let base: string;
  const store = () => `sqlite:${machines.file('node1/gatehouse.db')}`;
  const settings = () => machines.file('node1/gatehouse.env');

  const machines = suitePart(openMachines);
  after(() => server?.destroy());
  const guide = suitePart(async () => {
    mkdirSync(machines.file('cron'));
    base = `https://127.0.0.1:${machines.httpsPort}`;
    // The command of docs/guides/systemd.md: with the settings and the store of the server.
    writeFileSync(
      machines.file('tools/gatehouse'),
      `#!/bin/sh\nset -a; . ${settings()}; set +a\nexec ${join(ROOT, 'bin/gatehouse')} "$@"\n`,
      { mode: 0o755 },
    );
    const replace: Record<string, string> = {
      'https://id.example.com': base,
      'smtps://user:password@smtp.example.com': `file:${machines.file('outbox')}`,
      'DNS:id.example.com': 'IP:127.0.0.1',
      '/etc/nginx': machines.file('nginx'),
      '/var/log/nginx': machines.file('log'),
      '/etc/gatehouse.env': settings(),
      '/etc/cron.d': machines.file('cron'),
      '/var/backups': machines.file('backups'),
    };
    const CURL_CA_BUNDLE = machines.file('nginx/certs/certificate.pem');
    const env = { PATH: operatorPath(machines.tools), CURL_CA_BUNDLE, DATABASE_URL: store() };
    const opened = await openGuide('small-company', { ports: [3000], replace, notRun: NOT_RUN, env });
    replace['/opt/gatehouse'] = opened.folder;
    return opened;
  });

  it('has settings that are valid, in a file for root alone, and a server that starts with them', async () => {
    await guide.section('Settings');
    assert.equal(statSync(settings()).mode & 0o777, 0o600);
    const env = { ...(parseEnv(readFileSync(settings(), 'utf8')) as Env), DATABASE_URL: store() };
    server = start(
      join(ROOT, 'bin/gatehouse'),
      ['serve'],
      { ...env, PORT: String(guide.port(3000)) },
      machines.file('node1'),
    );
    await server.printed('"event":"started"');
    await guide.section('Start');
  });

  it('serves it behind nginx with TLS', async () => {
    await machines.startNginx();
    await guide.section('nginx and TLS');
    tls.setDefaultCACertificates([readFileSync(machines.file('nginx/certs/certificate.pem'), 'utf8')]);
  });

  it('makes the first owner by the link of the log, who is in the console then', async () => {
    await guide.section('You, the owner');
    const link = /"event":"owner\.missing","link":"([^"]+)"/.exec(server?.output() ?? '')?.[1] ?? '';
    assert(link.startsWith(`${base}/`), link);
    const visitor = new Visitor(base);
    const page = await visitor.go(link);
    const made = await visitor.send(formWith(page, 'username'), {
      username: 'olga',
      email: 'olga@example.com',
      password: 'a long passphrase of olga',
    });
    assert.match(made.url, /\/console/, made.text);
  });

  it('makes people in a group, with an application for them, and invites one by mail', async () => {
    assert.match(await guide.section('People, in groups'), /bob@example\.com/);
    await until('the invitation is in the outbox', () =>
      mailsIn(machines.file('outbox')).some(mail => mail.includes('bob@example.com')),
    );
  });

  it('makes a backup, and one every night', async () => {
    await guide.section('A backup every night');
    assert(statSync(machines.file('backups/gatehouse/first.db')).size > 0);
    const cron = readFileSync(machines.file('cron/gatehouse'), 'utf8');
    assert.match(cron, /^PATH=.*\n30 2 \* \* \* root gatehouse backup ".*\/\$\(date \+\\%F\)\.db"\n/);
  });

  it('passes the check list of docs/guides/before-you-go-live.md', async () => {
    const env = { PATH: operatorPath(machines.tools), DATABASE_URL: store() };
    const list = await openGuide('before-you-go-live', { ports: [], env });
    try {
      const printed = await list.all();
      assert.match(printed, /The settings are valid\./);
      assert.match(printed, /^Database$/m);
      assert.deepEqual(list.left(), []);
    } finally {
      await list.close();
    }
  });

  it('has no command that is not run, or named with the reason', () => assert.deepEqual(guide.left(), []));
});
