import type { Server } from 'node:http';
import type { Log } from '../observe/log.ts';
import { EXPOSITION_TYPE } from '../observe/metrics.ts';
import { isBearer } from './health.ts';
import { createServer } from './http-server.ts';

/** A port for the collector alone. If there is a token, it is asked for here too. */
export function createMetricsServer(exposition: () => Promise<string>, token: string | undefined, log: Log): Server {
  const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 5000, requestTimeout: 5000 };
  return createServer(limits, async (incoming, outgoing): Promise<unknown> => {
    incoming.resume();
    const refuse = (status: number, headers = {}) => outgoing.writeHead(status, headers).end();
    if (incoming.url?.split('?')[0] !== '/metrics') return refuse(404);
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return refuse(405, { allow: 'GET, HEAD' });
    if (token !== undefined && !isBearer(incoming.headers.authorization, token)) {
      return refuse(401, { 'www-authenticate': 'Bearer realm="gatehouse"' });
    }
    try {
      const text = await exposition();
      return outgoing.writeHead(200, { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' }).end(text);
    } catch (error) {
      log.error('metrics.fault', { message: (error as Error).message });
      return refuse(503);
    }
  });
}
