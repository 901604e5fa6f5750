/**
 * External servers, such as Ory Hydra and Keycloak: `npm run bench -- --peer NAME=URL`, over plain http.
 *
 *   --peer keycloak=http://CLIENT:SECRET@127.0.0.1:8080/realms/bench?user=alice:PASSWORD
 *       The realm. With a user (the client needs "direct access grants"), tokens come from the password grant and every work
 *       but the code exchange is measured; without one, from the client's own credentials, and userinfo and refresh are not.
 *   --peer hydra=http://CLIENT:SECRET@127.0.0.1:4444?admin=http://127.0.0.1:4445
 *       The public port, and the admin port, where Hydra introspects and asks for no credentials. It has no password grant:
 *       give it files of tokens for what belongs to a user.
 *   --peer anything=http://CLIENT:SECRET@127.0.0.1:9000/issuer
 *       Any other by what its discovery document says.
 *
 * Files with a value on each line (?access=FILE&refresh=FILE&codes=FILE) replace the tokens that would be asked for; codes must have been made with the redirect address and verifier of fixture.ts.
 * Which algorithm, lifetimes and durability such a server has is for its owner to say beside the figures.
 */
import { writeFileSync } from 'node:fs';
import { standardRequests, type Target, type ValueFiles, type Work } from '../fixture.ts';
import type { RequestForm } from '../load/request.ts';
import { valueFiles } from './place.ts';

interface Peer {
  readonly name: string;
  readonly issuer: string;
  /** For the Authorization header. */
  readonly basic: string;
  readonly user: readonly [name: string, password: string] | undefined;
  readonly admin: string | undefined;
  readonly files: Partial<ValueFiles>;
}

interface Discovery {
  readonly token_endpoint: string;
  readonly introspection_endpoint?: string;
  readonly userinfo_endpoint?: string;
}

/** Each connection refreshes a family of its own; more than that are there for the look-ups. */
const TOKENS = 256;
const AT_ONCE = 8;
const FORM = 'application/x-www-form-urlencoded';

export async function targetByUrl(text: string, folder: string, tokens = TOKENS): Promise<Target> {
  const peer = readPeer(text);
  const discovery = `${peer.issuer}/.well-known/openid-configuration`;
  const document = (await (await fetch(discovery)).json()) as Discovery;
  const made = valueFiles(folder, peer.name);
  const obtained = peer.files.access === undefined ? await obtainTokens(peer, document, made, tokens) : [];
  const files = { ...made, ...peer.files };
  const endpoints = {
    introspection: peer.admin === undefined ? document.introspection_endpoint : `${peer.admin}/admin/oauth2/introspect`,
    userinfo: document.userinfo_endpoint,
    token: document.token_endpoint,
  };
  const { introspection = '', userinfo = '' } = endpoints;
  const credentials = { authorization: peer.basic, 'content-type': FORM };
  const standard = standardRequests({ ...endpoints, introspection, userinfo }, files, credentials);
  const ofUser = peer.user !== undefined || peer.files.access !== undefined;
  const has: Partial<Record<Work, boolean>> = {
    introspection: introspection !== '',
    userinfo: userinfo !== '' && ofUser,
    code: peer.files.codes !== undefined,
    refresh: peer.files.refresh !== undefined || obtained.includes('refresh'),
  };
  const requests: Partial<Record<Work, RequestForm>> = Object.fromEntries(
    Object.entries(standard).filter(([work]) => has[work as Work]),
  );
  if (peer.admin !== undefined)
    requests.introspection = { ...standard.introspection, headers: { 'content-type': FORM } };
  if (peer.user) {
    const { headers } = standard.refresh;
    requests.password = { method: 'POST', url: document.token_endpoint, headers, body: tokenRequest(peer) };
  }
  return { name: peer.name, pid: undefined, requests };
}

export function readPeer(text: string): Peer {
  const separator = text.indexOf('=');
  const name = text.slice(0, separator);
  const url = new URL(text.slice(separator + 1));
  if (url.protocol !== 'http:') throw new Error(`${name}: the load speaks plain http only`);
  if (url.username === '') throw new Error(`${name}: the client is missing, as http://id:secret@host`);
  const given = (part: string) => url.searchParams.get(part) ?? undefined;
  const [user, ...password] = given('user')?.split(':') ?? [];
  const files = { access: given('access'), refresh: given('refresh'), codes: given('codes') };
  return {
    name,
    issuer: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
    basic: `Basic ${Buffer.from(decodeURIComponent(`${url.username}:${url.password}`)).toString('base64')}`,
    user: user === undefined ? undefined : [user, password.join(':')],
    admin: given('admin')?.replace(/\/$/, ''),
    files: Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined)),
  };
}

function tokenRequest({ user }: Peer): string {
  if (!user) return 'grant_type=client_credentials';
  const [username, password] = user;
  return new URLSearchParams({ grant_type: 'password', username, password, scope: 'openid profile email' }).toString();
}

/** Which kinds there were. */
async function obtainTokens(
  peer: Peer,
  { token_endpoint }: Discovery,
  files: ValueFiles,
  count: number,
): Promise<string[]> {
  const headers = { authorization: peer.basic, 'content-type': FORM };
  const ask = async () => {
    const answer = await fetch(token_endpoint, { method: 'POST', headers, body: tokenRequest(peer) });
    if (!answer.ok) throw new Error(`${peer.name} gives no tokens: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { access_token: string; refresh_token?: string };
  };
  const sets = [];
  while (sets.length < count) sets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, ask))));
  writeFileSync(files.access, `${sets.map(set => set.access_token).join('\n')}\n`);
  const refresh = sets.flatMap(set => set.refresh_token ?? []);
  if (refresh.length < sets.length) return ['access'];
  writeFileSync(files.refresh, `${refresh.join('\n')}\n`);
  return ['access', 'refresh'];
}
