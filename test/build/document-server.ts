import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { makeCertificate } from './certificate.ts';

/**
 * Where clients publish their metadata (client ID metadata documents): a real https listener on 127.0.0.1, whose certificate this
 * process trusts. It counts how often each path is asked for.
 */
export interface DocumentServer {
  /** The address of a path. */
  at(path: string): string;
  /** How many requests have arrived, for this path or for all. */
  count(path?: string): number;
  /** How many connections were opened, with a request or without. */
  connections(): number;
  /** What a path answers from now on. Other paths have nothing. */
  answer(path: string, next: DocumentAnswer): void;
  /** Publishes the metadata of a client at this path, with its address as the client_id; returns that address. */
  publish(
    path: string,
    metadata?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): string;
  close(): Promise<void>;
}

export interface DocumentAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Waits for this between the head and the body. */
  readonly when?: Promise<unknown>;
}

export async function openDocumentServer(): Promise<DocumentServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-documents-'));
  const cert = makeCertificate(folder);
  const before = tls.getCACertificates();
  tls.setDefaultCACertificates([...before, cert]);
  const answers = new Map<string, DocumentAnswer>();
  const counts = new Map<string, number>();
  const server = createServer({ cert, key: readFileSync(join(folder, 'key.pem')) }, async (incoming, outgoing) => {
    const path = incoming.url ?? '';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const { status = 200, headers = JSON_TYPE, body = '', when } = answers.get(path) ?? { status: 404 };
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders();
    await when;
    outgoing.end(body);
  });
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const at = (path: string) => `https://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const answer = (path: string, next: DocumentAnswer) => void answers.set(path, next);
  return {
    at,
    count: path =>
      path === undefined ? [...counts.values()].reduce((sum, one) => sum + one, 0) : (counts.get(path) ?? 0),
    connections: () => connections,
    answer,
    publish(path, metadata = {}, headers = {}) {
      const document = { ...CLIENT, client_id: at(path), ...metadata };
      answer(path, { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(document) });
      return at(path);
    },
    async close() {
      server.closeAllConnections();
      await new Promise(closed => server.close(closed));
      tls.setDefaultCACertificates(before);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

const CLIENT = {
  client_name: 'Assistant',
  redirect_uris: ['https://assistant.example/cb', 'http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
};
