import { createKeptConnections } from '../../platform/outbound/kept-connections.ts';
import { sendRequest } from '../../platform/outbound/request.ts';
import type { Services } from '../../services.ts';
import type { ConnectedProvider } from '../federation/connector.ts';

/** Why a provider gave no answer. Thrown through the library, which knows answers and faults alone. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
  /** The token endpoint failed over what it got: the code is the browser's, and anybody can bring a strange one. */
  readonly isByBrowser: boolean;

  constructor(reason: string, isByBrowser = false) {
    super(reason);
    this.isByBrowser = isByBrowser;
  }
}

/** Keys, an ID token, or what userinfo says, many times over. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** What the library calls instead of the global fetch: every connection passes the guard of platform/outbound. */
export type ProviderFetch = (
  url: string,
  options: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: unknown },
) => Promise<Response>;

/** Tokens and userinfo come over one connection, which the next sign-in uses too. */
export function providerFetch(
  { config, providerConnections }: Pick<Services, 'config' | 'providerConnections'>,
  provider: ConnectedProvider,
): ProviderFetch {
  // For everything that one sign-in asks of a provider.
  const deadline = performance.now() + config.outbound.timeoutMs;
  const connections = providerConnections.of(provider, createKeptConnections);
  return async (url, { method, headers, body }) => {
    const outcome = await sendRequest(
      {
        method,
        url,
        headers,
        ...(body === undefined || body === null ? {} : { body: String(body) }),
        maxBytes: MAX_ANSWER_BYTES,
        timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
        isDocument: true,
        connections,
      },
      config.outbound,
    );
    if (outcome.kind === 'failed') throw new ProviderUnreachable(outcome.reason);
    if (outcome.status >= 500) {
      throw new ProviderUnreachable(`the answer has the status ${outcome.status}`, method === 'POST');
    }
    const named = Object.entries(outcome.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    );
    const { status } = outcome;
    const hasBody = status !== 204 && status !== 205 && status !== 304 && status >= 200;
    return new Response(hasBody ? new Uint8Array(outcome.body) : null, { status, headers: named });
  };
}
