import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { freePort } from '../../scripts/free-port.ts';
import { ensureNginx } from '../../scripts/nginx.ts';
import { type Env, type Started, start } from '../assembly/run.ts';
import { until } from '../build/until.ts';
import { ROOT } from '../packaging/outside.ts';

/** The machines of docs/guides/production.md, each a folder of this machine with an address of its own on loopback. */
export interface Machines {
  readonly httpsPort: number;
  /** Holds the `nginx` of the proxy, for the path. */
  readonly tools: string;
  file(name: string): string;
  startNginx(): Promise<void>;
  /** What systemd does: the command of the unit, with the settings of the machine. */
  startNode(name: string): Promise<Started>;
  close(): Promise<void>;
}

/** The default paths are known only when the package is installed. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export async function openMachines(): Promise<Machines> {
  const installed = ensureNginx();
  if (installed.kind === 'missing') throw new Error(installed.advice);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-machines-'));
  const file = (name: string) => join(folder, name);
  // Started by root, nginx serves as another user.
  chmodSync(folder, 0o755);
  for (const name of ['node1', 'node2', 'nginx', 'log', 'temporary', 'tools']) mkdirSync(file(name));
  const temporary = TEMPORARY.map(name => `${name}_temp_path ${file('temporary')}/${name};`).join(' ');
  const places = [
    `s#listen 80;#listen 127.0.0.1:${httpPort};#`,
    `s#listen 443 ssl#listen 127.0.0.1:${httpsPort} ssl#`,
    `s#/run/nginx.pid#${file('nginx.pid')}#`,
    `s#/etc/nginx#${file('nginx')}#`,
    `s#^http {#http { ${temporary}#`,
    ...(process.getuid?.() === 0 ? [] : ['/^user /d']),
  ];
  // The configuration that the guide has written, with the ports and places of the test.
  writeFileSync(
    file('tools/nginx'),
    `#!/bin/sh
sed ${places.map(place => `-e '${place}'`).join(' ')} ${file('nginx/nginx.conf')} > ${file('placed.conf')}
exec ${installed.path} -c ${file('placed.conf')} -p ${folder} -e ${file('log/error.log')} "$@"
`,
    { mode: 0o755 },
  );
  const stops: (() => Promise<unknown>)[] = [];

  return {
    httpsPort,
    tools: file('tools'),
    file,
    // As the package of a distribution leaves it: running, with a configuration that does nothing for us.
    async startNginx() {
      writeFileSync(file('nginx/nginx.conf'), 'pid /run/nginx.pid;\nevents {}\nhttp {\n}\n');
      const child = spawn(file('tools/nginx'), ['-g', 'daemon off;'], { stdio: 'inherit' });
      const kill = () => child.kill();
      process.once('exit', kill);
      stops.push(async () => {
        process.off('exit', kill);
        if (child.exitCode !== null) return;
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      });
      await until('nginx runs', () => parsePid(file('nginx.pid')) > 0);
    },
    async startNode(name) {
      const settings = parseEnv(readFileSync(file(`${name}/gatehouse.env`), 'utf8')) as Env;
      const node = start(join(ROOT, 'bin/gatehouse'), ['serve'], settings, file(name));
      stops.push(async () => node.destroy());
      await node.printed('"event":"started"');
      return node;
    },
    async close() {
      for (const stop of stops.reverse()) await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function parsePid(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}
