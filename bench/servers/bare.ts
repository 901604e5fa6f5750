import { freePort } from '../../scripts/free-port.ts';
import { npmStart } from '../../src/assembly/npm-start.ts';
import { startServer, untilReady } from '../child.ts';
import type { Target } from '../fixture.ts';
import type { RequestForm } from '../load/request.ts';
import { ROOT } from './place.ts';

/** `measure` compares one work of many servers; here each is a request of its own. */
export function asTarget(name: string, pid: number | undefined, form: RequestForm | undefined): Target {
  return { name, pid, requests: form ? { userinfo: form } : {} };
}

/** A server that does one thing for a request (bare/main.ts): `paths` has it by the name under which it is measured. */
export async function startBare(paths: Readonly<Record<string, string>>) {
  const port = await freePort();
  const began = performance.now();
  const usual = npmStart();
  const args = [...usual.options, 'bench/servers/bare/main.ts', String(port)];
  const server = startServer(args, { env: usual.env, cwd: ROOT });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(`${url}/nothing`, began);
  const targets = Object.entries({ bare: 'nothing', ...paths }).map(([name, path]) =>
    asTarget(name, server.pid, { method: 'GET', url: `${url}/${path}` }),
  );
  return { targets, stop: server.stop };
}
