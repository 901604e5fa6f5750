import { challengeOf } from '../../oauth/authorization-code/pkce.rules.ts';
import { endIn } from '../../platform/crypto/credential.ts';
import { isText } from '../../platform/text/text.rules.ts';
import type { Store } from '../../store.ts';
import type { Found, FoundClient, FoundCode, FoundToken } from '../explain/snapshot.ts';
import type { Lookups } from './capture.ts';
import { misspeltName } from './similar.ts';
import type { Refusals } from './store.ts';

type LookupStore = Pick<Store, 'applicationCodes' | keyof Refusals>;

/** What the store knows of the things in a refused request: whose code it was, when it expired, where the client is registered. */
export async function find(store: LookupStore, app: string, lookups: Lookups): Promise<Found> {
  const { code, token, clientId, applicationCode, sub } = lookups;
  return {
    code: code && (await findCode(store, code, lookups.challenge)),
    token: token && (await findToken(store, token)),
    stampedEnd: stampedEnd(code ?? token),
    client: clientId === undefined ? undefined : await findClient(store, app, clientId),
    similarApplication:
      applicationCode === undefined ? undefined : misspeltName(applicationCode, await store.applicationCodes()),
    user: sub === undefined ? undefined : await store.describeUser(sub),
  };
}

async function findCode(store: LookupStore, key: Buffer, challenge: string | undefined): Promise<FoundCode | 'none'> {
  const code = await store.describeCode(key);
  if (!code) return 'none';
  const { clientId, codeChallenge, redirectUri, ...rest } = code;
  return {
    ...rest,
    client: clientId,
    redirectUri,
    hasChallenge: codeChallenge !== undefined,
    isChallengeSent: codeChallenge !== undefined && challengeOf(codeChallenge) === challenge,
  };
}

async function findToken(store: LookupStore, key: Buffer): Promise<FoundToken | 'none'> {
  const access = await store.describeAccessToken(key);
  const token = access ?? (await store.describeRefreshToken(key));
  if (!token) return 'none';
  const { clientId, ...rest } = token;
  return { ...rest, kind: access ? 'access' : 'refresh', client: clientId };
}

/** This server issued its first credentials long after this time. A text with an earlier time is no credential of this server. */
const EARLIEST_END = 1_700_000_000;
const LATEST_END = 4_000_000_000;

/** A credential begins with the time of its end (credentials.ts). It tells something even when its row is deleted. */
function stampedEnd(key: Buffer | undefined): number | undefined {
  const end = key && endIn(key);
  return end !== undefined && end > EARLIEST_END && end < LATEST_END ? end : undefined;
}

const MAX_COMPARED_CLIENTS = 1000;

/** The received name is stored only if a client has it, or a similar one: any other text may be a secret in the wrong place. */
async function findClient(store: LookupStore, app: string, clientId: string): Promise<FoundClient> {
  if (!isText(clientId)) return { apps: [] };
  const apps = await store.applicationsWithClient(clientId);
  const own = app === '' ? [] : await store.clientIds(app, MAX_COMPARED_CLIENTS);
  // Also where another application has the name: a reader who may not know of it is told what is told of a name that nobody has.
  const similar = apps.includes(app) ? undefined : misspeltName(clientId, own);
  const isRecognised = apps.length > 0 || similar !== undefined;
  return { apps, similar, received: isRecognised ? clientId : undefined };
}
