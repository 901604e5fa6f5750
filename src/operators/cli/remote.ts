import type { OperationAddress } from '../api/operation-table.ts';
import type { Input } from '../api/perform.ts';
import type { Send } from '../client/connection.ts';
import { AdminApiError, connect, ServerUnreachable } from '../client/connection.ts';
import { type Environment, EXIT } from './exit.ts';
import type { Performed } from './perform.ts';

/** The server whose admin API the command line calls: `--server` and `--api-key`, or GATEHOUSE_SERVER and GATEHOUSE_API_KEY. */
export interface RemoteServer {
  readonly url: string;
  /** Runs an operation by its id. Throws a RemoteFault where the answer says nothing about the objects of the operation. */
  perform(id: string, input: Input): Promise<Performed>;
}

/** Ends the command: one sentence for standard error, and the exit code. */
export class RemoteFault extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface RemoteSettings {
  readonly server: string;
  readonly apiKey: string;
}

export interface SplitArguments {
  readonly args: readonly string[];
  /** Undefined: the command works on the store of the settings. */
  readonly remote: RemoteSettings | undefined;
}

interface Surroundings {
  readonly env: Environment;
  readonly stderr: { write(text: string): unknown };
}

const SERVER = '--server';
const API_KEY = '--api-key';

/** Takes the options that every command has out of the arguments. */
export function splitArguments(all: readonly string[], { env, stderr }: Surroundings): SplitArguments {
  const args: string[] = [];
  const given = new Map<string, string>();
  for (let at = 0; at < all.length; at++) {
    const arg = all[at] ?? '';
    const [name = '', ...rest] = arg.split('=');
    if (arg === '--') return { args: [...args, ...all.slice(at)], remote: settingsOf(given, env) };
    if (name !== SERVER && name !== API_KEY) args.push(arg);
    else given.set(name, rest.length > 0 ? rest.join('=') : (all[++at] ?? ''));
  }
  if (given.has(API_KEY)) {
    stderr.write(
      '--api-key shows the key in the list of processes and in the history of the shell: use GATEHOUSE_API_KEY\n',
    );
  }
  return { args, remote: settingsOf(given, env) };
}

function settingsOf(given: ReadonlyMap<string, string>, env: Environment): RemoteSettings | undefined {
  const server = given.get(SERVER) ?? env.GATEHOUSE_SERVER;
  const apiKey = given.get(API_KEY) ?? env.GATEHOUSE_API_KEY;
  if (server === undefined && apiKey === undefined) return undefined;
  const fault = faultOf(server, apiKey, env.GATEHOUSE_ALLOW_HTTP === 'true');
  if (server !== undefined && apiKey !== undefined && fault === undefined) return { server, apiKey };
  throw new RemoteFault(fault ?? '', EXIT.configuration);
}

function faultOf(server: string | undefined, apiKey: string | undefined, allowsHttp: boolean): string | undefined {
  if (server === undefined) return 'GATEHOUSE_SERVER: is needed with an API key, such as https://id.example';
  const url = URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search + url.hash + url.username !== '') {
    return 'GATEHOUSE_SERVER: must be the address of a server without a path, such as https://id.example';
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowsHttp) {
    return 'GATEHOUSE_SERVER: must be https, because plain http shows the key to the network (GATEHOUSE_ALLOW_HTTP=true allows it)';
  }
  if (apiKey === undefined || apiKey === '') {
    return 'GATEHOUSE_API_KEY: is needed with GATEHOUSE_SERVER. "gatehouse api-keys create" on the server makes a key';
  }
  return /^[\x21-\x7e]+$/.test(apiKey) ? undefined : 'GATEHOUSE_API_KEY: has a character that no key has';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

type AddressOf = (id: string) => Promise<Pick<OperationAddress, 'method' | 'path'>>;

export function remoteServer({ server, apiKey }: RemoteSettings, addressOf: AddressOf): RemoteServer {
  const send = connect({ server, apiKey });
  return {
    url: server,
    async perform(id, { params, query, body }) {
      const { method, path } = await addressOf(id);
      try {
        const { value } = await send({ method, path: filled(path, params), query, body });
        return { kind: 'done', value };
      } catch (error) {
        return outcomeOf(error, server, send);
      }
    },
  };
}

function filled(path: string, params: Input['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** What the local command would have got from the same operation. */
async function outcomeOf(error: unknown, server: string, send: Send): Promise<Performed> {
  if (error instanceof ServerUnreachable) throw unreachable(error, server);
  if (!(error instanceof AdminApiError)) throw error;
  const { status, problem } = error;
  if (!problem)
    throw new RemoteFault(`${server}: answered with ${status}, and not as a Gatehouse server does`, EXIT.unavailable);
  const { detail, errors } = problem;
  switch (status) {
    case 400:
      if (errors) return { kind: 'invalid', errors };
      break;
    case 401:
      throw new RemoteFault(`${server} does not accept this API key (401): ${detail}`, EXIT.noPermission);
    case 403:
      throw new RemoteFault(`the role of this API key is too low (403): ${detail}`, EXIT.noPermission);
    case 404: {
      const what = /^There is no such (.+)\.$/.exec(detail)?.[1];
      if (what !== undefined) return { kind: 'unknown', what };
      break;
    }
    case 409:
      return { kind: 'conflict', detail };
    case 412:
      return { kind: 'changed' };
    case 429:
    case 503:
      throw new RemoteFault(`${server}: ${detail} (${status})`, EXIT.unavailable);
  }
  throw await otherRelease(
    `${server}: ${detail} (${status}, request ${problem.request_id ?? 'unknown'})`,
    server,
    send,
  );
}

/** An answer that this release does not expect may be that of another one. */
async function otherRelease(message: string, server: string, send: Send): Promise<RemoteFault> {
  const { releaseVersion } = await import('../../platform/release.ts');
  const own = releaseVersion();
  const theirs = await versionOf(send);
  const fits = theirs === own;
  const hint = theirs === undefined ? ', which may be another release than' : ` is release ${theirs},`;
  return new RemoteFault(fits ? message : `${message}. ${server}${hint} this command line is ${own}`, EXIT.data);
}

async function versionOf(send: Send): Promise<string | undefined> {
  try {
    const { value } = await send({ method: 'GET', path: '/caller' });
    return (value as { version?: string }).version;
  } catch {
    return undefined;
  }
}

const REASONS: Readonly<Record<ServerUnreachable['reason'], string>> = {
  refused: 'cannot be reached: nothing accepts connections there',
  'unknown host': 'cannot be reached: there is no host of this name',
  certificate: 'has a certificate that is not trusted. NODE_EXTRA_CA_CERTS names the file of your own authority',
  timeout: 'did not answer in time',
  redirect: 'redirects to another address, which the key is not sent to. Name the address in BASE_URL',
  broken: 'closed the connection without an answer, also when asked again',
};

function unreachable({ reason, cause }: ServerUnreachable, server: string): RemoteFault {
  const code = reason === 'certificate' ? ` (${codeIn(cause)})` : '';
  return new RemoteFault(`${server} ${REASONS[reason]}${code}`, EXIT.unavailable);
}

function codeIn(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: unknown };
  return code ?? (cause === undefined ? 'TLS' : codeIn(cause));
}
