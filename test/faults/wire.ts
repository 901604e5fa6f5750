import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { WEB } from '../build/client.ts';
import { CALLBACK, PASSWORD } from '../build/fixture.ts';
import { type Fields, query } from '../build/visitor.ts';
import type { NodeProcess } from './nodes.ts';

/** Requests to one node, as a client's HTTP library makes them: connections are kept, and a lost one is an outcome. */
export interface Answer {
  /** 'lost': the connection failed. 'hung': nothing came for so long that no client would still be waiting. */
  readonly outcome: number | 'lost' | 'hung';
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
  readonly text: string;
  readonly milliseconds: number;
}

/** Far beyond every time limit of a node. */
const HUNG_MS = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const ISSUER = '/api/v1/authorize/shop/oauth2';

export function ask(url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  const began = performance.now();
  return new Promise(resolve => {
    const answer = (outcome: Answer['outcome'], answered: IncomingHttpHeaders = {}, text = '') =>
      resolve({ outcome, headers: answered, text, json: parsed(text), milliseconds: performance.now() - began });
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(url, { agent, method, headers }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', part => {
        text += part;
      });
      response.on('end', () => answer(response.statusCode ?? 0, response.headers, text));
      response.on('error', () => answer('lost'));
    });
    const overdue = setTimeout(() => {
      answer('hung');
      sent.destroy();
    }, HUNG_MS);
    sent.on('close', () => clearTimeout(overdue));
    sent.on('error', () => answer('lost'));
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function form(node: NodeProcess, endpoint: string, fields: Fields, auth = WEB): Promise<Answer> {
  const headers = { authorization: auth, 'content-type': 'application/x-www-form-urlencoded' };
  return ask(`${node.url}${ISSUER}/${endpoint}`, headers, query(fields));
}

export const redeem = (node: NodeProcess, code: string, auth?: string) =>
  form(node, 'token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }, auth);
export const refresh = (node: NodeProcess, refreshToken: string, auth?: string) =>
  form(node, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken }, auth);
export const passwordGrant = (node: NodeProcess, auth?: string) =>
  form(node, 'token', { grant_type: 'password', username: 'alice', password: PASSWORD }, auth);
export const introspect = (node: NodeProcess, token: string, auth?: string) =>
  form(node, 'introspect', { token }, auth);
export const revoke = (node: NodeProcess, token: string) => form(node, 'revoke', { token });

/** An authorization request of a browser with a session; the code is in the address it is sent to. */
export async function authorize(node: NodeProcess, cookie: string): Promise<Answer & { readonly code: string }> {
  const asked = { client_id: 'web', response_type: 'code', redirect_uri: CALLBACK, state: 'st', scope: 'openid' };
  const answer = await ask(`${node.url}${ISSUER}/auth?${query(asked)}`, { cookie, accept: 'text/html' });
  const location = answer.headers.location ?? '';
  return { ...answer, code: URL.canParse(location) ? (new URL(location).searchParams.get('code') ?? '') : '' };
}

/** Works through the list with a few at a time. */
export async function inParallel<T>(
  list: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < list.length; index = next++) await work(list[index] as T);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** As Retry-After asks: on a busy machine some wait longer for PostgreSQL than DATABASE_TIMEOUT allows. */
export async function repeated(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    if (answer.outcome !== 503 || attempt === 20) return answer;
    await pause(250);
  }
}
