import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { ensureNginx } from '../../scripts/nginx.ts';
import { makeCertificate } from './certificate.ts';
import { until } from './until.ts';

/** nginx with the configuration of docs/operations.md, in the foreground; only places and ports are those of the test. */
export interface Nginx {
  readonly port: number;
  /** That of plain http, which leads to https. */
  readonly plainPort: number;
  /** In PEM. */
  readonly certificate: string;
  accessLog(): string;
  errorLog(): string;
  close(): Promise<void>;
}

export interface NginxOptions {
  /** The port of the server behind it. */
  readonly upstream: number;
  readonly port?: number;
  /** The port of docs/mtls.md, for clients with certificates. */
  readonly mtlsPort?: number;
  /** False: plain http, for a load that has no time to encrypt. */
  readonly tls?: boolean;
  /** Put before the command line: `taskset -c 1`. */
  readonly under?: readonly string[];
}

const installed = ensureNginx();

export async function startNginx(options: NginxOptions): Promise<Nginx> {
  if (installed.kind === 'missing') throw new Error(installed.advice);
  const { under = [] } = options;
  const [port, plainPort] = [options.port ?? (await freePort()), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'));
  // Started by root, it serves as another user.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'temporary'));
  const certificate = makeCertificate(folder);
  const configuration = join(folder, 'nginx.conf');
  writeFileSync(configuration, placed(folder, { ...options, port, plainPort }));
  const errors = join(folder, 'error.log');
  const args = ['-c', configuration, '-p', folder, '-e', errors, '-g', 'daemon off;'];
  const [program = '', ...rest] = [...under, installed.path, ...args];
  const child = spawn(program, rest, { stdio: 'inherit' });
  const stop = () => child.kill();
  process.once('exit', stop);
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

  const nginx: Nginx = {
    port,
    plainPort,
    certificate,
    accessLog: () => read(join(folder, 'access.log')),
    errorLog: () => read(errors),
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
  await until('nginx listens', async () => {
    assert.equal(child.exitCode, null, nginx.errorLog());
    return isListening(port);
  });
  return nginx;
}

function nginxIn(document: string): string {
  const text = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8');
  return /```nginx\n([\s\S]*?)```/.exec(text)?.[1] ?? assert.fail(`docs/${document} has no configuration of nginx`);
}

/** The server of docs/mtls.md beside the others, as the document says. */
function withMtls(folder: string, port: number): string {
  const server = nginxIn('mtls.md')
    .replace('listen 8443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('/etc/ssl/certs/id.example.com.pem', join(folder, 'certificate.pem'))
    .replace('/etc/ssl/private/id.example.com.key', join(folder, 'key.pem'));
  return nginxIn('operations.md').replace(/\}\s*$/, () => `${server}}\n`);
}

/** The text of the document, in which every place is found exactly once. */
function placed(
  folder: string,
  { upstream, port, plainPort, mtlsPort, tls = true }: NginxOptions & { plainPort: number },
): string {
  const places: readonly (readonly [string, string])[] = [
    ['user www-data;', process.getuid?.() === 0 ? 'user www-data;' : ''],
    ['/run/nginx.pid', join(folder, 'nginx.pid')],
    ['/var/log/nginx/error.log', join(folder, 'error.log')],
    ['/var/log/nginx/access.log', join(folder, 'access.log')],
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${upstream};`],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ssl backlog=4096;', `listen 127.0.0.1:${port}${tls ? ' ssl' : ''} backlog=4096;`],
    ['/etc/ssl/certs/id.example.com.pem', join(folder, 'certificate.pem')],
    ['/etc/ssl/private/id.example.com.key', join(folder, 'key.pem')],
    ['\nhttp {\n', `\nhttp {\n${TEMPORARY.map(name => `${name}_temp_path ${folder}/temporary/${name};\n`).join('')}`],
  ];
  const text = mtlsPort === undefined ? nginxIn('operations.md') : withMtls(folder, mtlsPort);
  return places.reduce((configuration, [documented, own]) => {
    assert.equal(configuration.split(documented).length, 2, `${documented} is not there exactly once`);
    return configuration.replace(documented, () => own);
  }, text);
}

/** The default paths are known only when the package is installed. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
