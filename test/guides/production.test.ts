import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, readFileSync, statSync } from 'node:fs';
import https from 'node:https';
import { describe, it } from 'node:test';
import tls from 'node:tls';
import { startPostgres } from '../../scripts/postgres.ts';
import type { Started } from '../assembly/run.ts';
import { aPkcePair, basic, redeem } from '../build/client.ts';
import { suitePart } from '../build/suite-part.ts';
import type { ServerAddress } from '../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, signIn, Visitor } from '../build/visitor.ts';
import { openMachines } from './machines.ts';
import { operatorPath } from './operator.ts';
import { openGuide } from './run-guide.ts';

const NO_SYSTEMD = 'needs machines that were booted with systemd; the test starts what the unit starts';
const NOT_RUN = {
  'scp ': 'there is one machine; the test copies the file',
  'systemctl ': NO_SYSTEMD,
  'journalctl ': NO_SYSTEMD,
  'cd /opt/gatehouse && git pull': 'there is no other release to fetch; the node is restarted',
};
const ENV_FILE = '/etc/gatehouse.env';
const { verifier, challenge } = aPkcePair();
const FIELDS = {
  client_id: 'shop-web',
  redirect_uri: 'https://shop.example/callback',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};
const ALICE = { username: 'alice', password: 'a long passphrase of alice' };
const BROWSER = '127.0.0.55';

describe('docs/guides/production.md', () => {
  let nodes: { first: Started; second: Started };
  let door: ServerAddress;
  let secret: string;
  const replace: Record<string, string> = {};
  const envFile = (node: string) => machines.file(`${node}/gatehouse.env`);

  const postgres = suitePart(
    () => startPostgres({ settings: { fsync: 'off' } }),
    part => part.remove(),
  );
  const machines = suitePart(openMachines);
  const guide = suitePart(async () => {
    const base = `https://127.0.0.1:${machines.httpsPort}`;
    door = { base, at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2` };
    Object.assign(replace, {
      '10.0.0.10': '127.0.0.1',
      '10.0.0.11': '127.0.0.11',
      '10.0.0.12': '127.0.0.12',
      '10.0.0.20': `127.0.0.1:${postgres.port}`,
      'https://id.example.com': base,
      'smtps://user:password@smtp.example.com': `file:${machines.file('outbox')}`,
      'DNS:id.example.com': 'IP:127.0.0.1',
      '/etc/nginx': machines.file('nginx'),
      '/var/log/nginx': machines.file('log'),
      [ENV_FILE]: envFile('node1'),
    });
    const CURL_CA_BUNDLE = machines.file('nginx/certs/certificate.pem');
    const env = { PATH: operatorPath(machines.tools), CURL_CA_BUNDLE };
    const opened = await openGuide('production', { ports: [3000, 9090], replace, notRun: NOT_RUN, env });
    replace['/opt/gatehouse'] = opened.folder;
    return opened;
  });

  it('brings two nodes on one database to be ready, with settings for root alone', async () => {
    await guide.section('Database');
    await guide.section('Gatehouse on both nodes');
    await guide.section('Settings of node 1');
    assert.equal(statSync(envFile('node1')).mode & 0o777, 0o600);
    cpSync(envFile('node1'), envFile('node2'));
    replace[ENV_FILE] = envFile('node2');
    await guide.section('Settings of node 2');
    replace[ENV_FILE] = envFile('node1');
    nodes = { first: await machines.startNode('node1'), second: await machines.startNode('node2') };
    await guide.section('Start both nodes');
  });

  it('serves them behind nginx with TLS, and no metrics', async () => {
    await machines.startNginx();
    await guide.section('nginx and TLS');
    tls.setDefaultCACertificates([readFileSync(machines.file('nginx/certs/certificate.pem'), 'utf8')]);
  });

  it('makes an owner by the link that each start prints, once, and others on the command line', async () => {
    const links = Object.values(nodes).map(
      node => /"event":"owner\.missing","link":"([^"]+)"/.exec(node.output())?.[1] ?? '',
    );
    const visitor = new Visitor(door.base);
    const [other = '', own = ''] = links;
    assert.equal((await visitor.go(other)).status, 403, 'the start of the second node made it void');
    const page = await visitor.go(own);
    assert.equal(page.status, 200, page.text);
    const made = await visitor.send(formWith(page, 'username'), { username: 'olga', password: ALICE.password });
    assert.match(made.url, /\/(console|login)/);
    assert.equal((await visitor.go(own)).status, 403, 'there is an owner now');
    assert.match(await guide.section('First owner'), /^role +owner$/m);
  });

  it('signs a user in to the first application', async () => {
    secret = /client_secret (\S+) \(generated/.exec(await guide.section('First application'))?.[1] ?? '';
    assert(await comesIn());
  });

  it('knows the address of the caller behind nginx', async () => {
    await failFrom(BROWSER);
    assert.match(await guide.section('The address of the caller'), new RegExp(` address=${BROWSER} `));
  });

  it('has metrics of each node', async () => {
    await guide.section('Health checks');
    assert.equal((await guide.section('Metrics')).match(/^gatehouse_build_info\{/gm)?.length, 2);
  });

  it('loses no request while a node is updated', async () => {
    await guide.section('Update');
    const load = openLoad();
    await guide.section('Take node 1 out');
    assert.equal(await nodes.first.stop(), 0);
    nodes = { ...nodes, first: await machines.startNode('node1') };
    await guide.section('Update node 1');
    await guide.section('Put node 1 back');
    const statuses = await load.end();
    assert(statuses.length > 10, `${statuses.length} requests`);
    assert.deepEqual(
      statuses.filter(status => status !== 200),
      [],
    );
  });

  it('goes on when the other node is lost', async () => {
    await nodes.second.stop('SIGKILL');
    for (let times = 0; times < 4; times++) assert(await comesIn());
  });

  it('has no command that is not run, or named with the reason', async () => {
    await guide.section('What to watch');
    assert.deepEqual(guide.left(), []);
  });

  async function comesIn(): Promise<boolean> {
    const seen = await signIn(door, FIELDS, ALICE);
    const over = { redirect_uri: FIELDS.redirect_uri, code_verifier: verifier };
    const set = await redeem(door, answerIn(seen).code, over, { auth: basic(FIELDS.client_id, secret) });
    assert.equal(set.status, 200, set.text);
    return set.json.id_token !== undefined;
  }

  /** A wrong password, typed on a machine with this address. */
  async function failFrom(localAddress: string): Promise<void> {
    const visitor = new Visitor(door.base);
    const form = formWith(await visitor.follow(authorizationUrl(door, FIELDS)), 'password');
    const body = new URLSearchParams(form.fields);
    body.set('username', 'alice');
    body.set('password', 'not the password');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: door.base,
      cookie: [...visitor.cookies].map(pair => pair.join('=')).join('; '),
    };
    const request = https.request(form.action, { method: 'POST', localAddress, headers, ca: certificate() });
    const [answer] = await once(request.end(body.toString()), 'response');
    answer.resume();
    assert.equal(answer.headers.location, undefined, 'the login page again');
  }

  const certificate = () => readFileSync(machines.file('nginx/certs/certificate.pem'), 'utf8');

  /** Introspection again and again, each on a connection of its own, because nginx closes idle ones when its configuration changes. */
  function openLoad() {
    const statuses: number[] = [];
    let isOpen = true;
    const body = 'token=none&token_type_hint=access_token';
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic(FIELDS.client_id, secret),
    };
    const options = { method: 'POST', agent: false, headers, ca: certificate() } as const;
    const send = async () => {
      const [answer] = await once(https.request(`${door.at()}/introspect`, options).end(body), 'response');
      answer.resume();
      await once(answer, 'end');
      statuses.push(answer.statusCode);
    };
    const running = (async () => {
      while (isOpen) await send().catch(() => statuses.push(0));
    })();
    return {
      async end() {
        isOpen = false;
        await running;
        return statuses;
      },
    };
  }
});
