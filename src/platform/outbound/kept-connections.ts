import type { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { Agent as PlainAgent } from './http-client.ts';

/**
 * Connections to one party that several requests in a row use: a handshake of TLS costs more than a request. Each was checked by the guard when
 * it was made, and stays with the address that it was made to. No environment variable leads them through a proxy.
 */
export interface KeptConnections {
  agentFor(protocol: string): Agent | TlsAgent;
  close(): void;
}

/** Less than most servers keep one (nginx 75 s, Node.js 5 s): one that the other side closes while a request is sent costs a GET a second try, and fails a POST. */
const IDLE_MS = 4000;
const MAX_IDLE = 4;

export function createKeptConnections(): KeptConnections {
  const options = { keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS };
  const plain = new PlainAgent(options);
  const tls = new TlsAgent(options);
  return {
    agentFor: protocol => (protocol === 'https:' ? tls : plain),
    close() {
      plain.destroy();
      tls.destroy();
    },
  };
}
