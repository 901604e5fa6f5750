import { hash, timingSafeEqual } from 'node:crypto';
import { failure } from '../../failures.ts';
import type { Handler } from '../../services.ts';
import { EXPOSITION_TYPE } from '../observe/metrics.ts';
import { GUARDED, header, json, type Reply } from './message.ts';

/** Alive: as long as the server answers this, a restart would not help. The store is not asked. */
export const healthz: Handler = async () => plain('ok\n', 'text/plain; charset=utf-8');

/** Ready: worth being sent requests. The reason is a word; the log has the rest, and the addresses of the database's workers. */
export const readyz: Handler = async ({ readiness }) => {
  const reason = await readiness.unready();
  const workers = readiness.cluster()?.workers.map(({ id, isReachable }) => ({ id, reachable: isReachable }));
  const details = workers && { database_workers: workers };
  return reason === undefined
    ? json({ status: 'ready', ...details })
    : json({ status: 'unready', reason, ...details }, 503);
};

/** The public port shows metrics to the bearer of the configured token only. Without a token it has no such path. */
export const metrics: Handler = async ({ config, metrics }, request) => {
  const token = config.metrics?.token;
  if (token === undefined) return { failure: failure('notFound') };
  const credentials = header(request, 'authorization');
  if (credentials === undefined) return { failure: failure('bearerMissing') };
  if (!isBearer(credentials, token)) return { failure: failure('tokenInvalid') };
  return plain(await metrics.exposition(), EXPOSITION_TYPE);
};

/** RFC 6750 section 2.1. Hashes are compared, so that the time taken tells nothing, not even the length. */
export function isBearer(credentials: string | undefined, token: string): boolean {
  const presented = /^Bearer +(.+)$/i.exec(credentials ?? '')?.[1];
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token));
}

function plain(body: string, type: string): Reply {
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-store', ...GUARDED }, body };
}
