import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureApache } from '../../scripts/apache.ts';
import { listening } from './listening.ts';

/** An Apache of our own, in the foreground; its configuration, pages and log are in a folder that goes with it. */
export interface Apache {
  /** What the module could not do, line by line. */
  faults(): string[];
  close(): Promise<void>;
}

export interface VirtualHost {
  readonly port: number;
  /** Of mod_auth_openidc. */
  readonly directives: readonly string[];
}

const installed = ensureApache();

const MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'include', 'auth_openidc'];

/** Shows what the module says about the caller. */
const PAGE = ['REMOTE_USER', 'OIDC_CLAIM_email', 'OIDC_CLAIM_phone_number', 'OIDC_CLAIM_sub', 'OIDC_CLAIM_client_id']
  .map(name => `${name}=<!--#echo var="${name}" -->\n`)
  .join('');

export function startApache(hosts: readonly VirtualHost[]): Promise<Apache> {
  return runApache(
    MODULES,
    folder => configure(folder, hosts),
    hosts.map(({ port }) => port),
  );
}

/** With a configuration of the caller's below what every Apache needs. */
export async function runApache(
  modules: readonly string[],
  configuration: (folder: string) => readonly string[],
  ports: readonly number[],
): Promise<Apache> {
  if (installed.kind === 'missing') throw new Error(installed.advice);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-apache-'));
  // Started by root, it serves as another user, who must be able to read it.
  chmodSync(folder, 0o755);
  for (const place of ['members', 'alice', 'api']) {
    mkdirSync(join(folder, 'www', place), { recursive: true });
    writeFileSync(join(folder, 'www', place, 'page'), PAGE);
  }
  const file = join(folder, 'apache.conf');
  const lines = [...basis(folder, installed.modules, modules), ...configuration(folder)];
  writeFileSync(file, lines.map(line => `${line}\n`).join(''));
  const child = spawn(installed.path, ['-d', folder, '-f', file, '-D', 'FOREGROUND'], { stdio: 'inherit' });
  const stop = () => child.kill();
  process.once('exit', stop);

  const log = join(folder, 'error.log');
  const apache: Apache = {
    faults: () => (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter(line => /:error\]/.test(line)),
    async close() {
      process.off('exit', stop);
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(ports.map(port => listening(port, child)));
  } catch (error) {
    await apache.close();
    throw error;
  }
  return apache;
}

function basis(folder: string, place: string, modules: readonly string[]): string[] {
  return [
    'ServerName 127.0.0.1',
    `PidFile ${folder}/apache.pid`,
    `DefaultRuntimeDir ${folder}`,
    `ErrorLog ${folder}/error.log`,
    ...modules.map(name => `LoadModule ${name}_module ${place}/mod_${name}.so`),
    ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
  ];
}

/** /members is for every signed-in user, /alice for one user alone, /api for requests with an access token. */
function configure(folder: string, hosts: readonly VirtualHost[]): string[] {
  return [
    `DocumentRoot ${folder}/www`,
    `<Directory ${folder}/www>`,
    'Options +Includes',
    'ForceType text/plain',
    'SetOutputFilter INCLUDES',
    '</Directory>',
    ...hosts.flatMap(({ port, directives }) => [
      `Listen 127.0.0.1:${port}`,
      `<VirtualHost 127.0.0.1:${port}>`,
      'OIDCCryptoPassphrase "for tests"',
      'OIDCPassClaimsAs environment',
      ...directives,
      ...guard('/members', 'openid-connect', 'valid-user', ASK_ALL),
      ...guard('/alice', 'openid-connect', 'claim preferred_username:alice', ASK_ALL),
      // Asked each time, so that a token is dead here as soon as it is dead there.
      ...guard('/api', 'oauth20', 'valid-user', 'OIDCOAuthTokenIntrospectionInterval -1'),
      '</VirtualHost>',
    ]),
  ];
}

/** Node's fetch names itself a script (Sec-Fetch-Mode), and scripts are not sent to log in unless this says so. */
const ASK_ALL = 'OIDCUnAuthAction auth false';

function guard(path: string, type: string, whom: string, ...more: readonly string[]): string[] {
  return [`<Location ${path}>`, `AuthType ${type}`, `Require ${whom}`, ...more, '</Location>'];
}
