import type { IncomingMessage } from 'node:http';
import { clientAddress } from './client-address.ts';
import { receivedCertificate, type Trust } from './client-certificate.ts';
import type { ReceivedCertificate, Request } from './message.ts';
import { hasTooManyParams, NO_PARAMS, type Params, parseParams } from './params.rules.ts';
import type { Body } from './read-body.ts';

/** Path and query as sent. A proxy may send the absolute form (RFC 9112 section 3.2.2); its host is ignored. */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const text = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = text.indexOf('?');
  return mark < 0 ? { path: text, query: '' } : { path: text.slice(0, mark), query: text.slice(mark + 1) };
}

/** Address and certificate of the caller are computed on demand: few endpoints need them. */
export class IncomingRequest implements Request {
  readonly id: string;
  readonly method: string;
  readonly params: Request['params'];
  readonly query: string;
  readonly headers: Request['headers'];
  readonly body: string;
  /** Set once the route is known to take JSON, and the body to be it. */
  json: unknown = undefined;
  readonly receivedAt: number;
  #queryParams: Params | undefined;
  #form: Params | undefined;
  readonly #incoming: IncomingMessage;
  readonly #trust: Trust;

  constructor(
    incoming: IncomingMessage,
    id: string,
    params: Request['params'],
    query: string,
    body: Body,
    receivedAt: number,
    trust: Trust,
  ) {
    this.id = id;
    this.method = incoming.method ?? 'GET';
    this.params = params;
    this.query = query;
    this.headers = incoming.headers;
    this.body = body.kind === 'text' ? body.text : '';
    this.receivedAt = receivedAt;
    this.#incoming = incoming;
    this.#trust = trust;
  }

  /** As sent, without the query. */
  get path(): string {
    return splitUrl(this.#incoming.url ?? '/').path;
  }

  get queryParams(): Params {
    this.#queryParams ??= readParams(this.query);
    return this.#queryParams;
  }

  get form(): Params {
    this.#form ??= readParams(this.body);
    return this.#form;
  }

  get address(): string {
    const { socket, headers } = this.#incoming;
    return clientAddress(socket.remoteAddress ?? '', String(headers['x-forwarded-for'] ?? ''), this.#trust.proxies);
  }

  get certificate(): ReceivedCertificate | undefined {
    return receivedCertificate(this.#incoming, this.#trust);
  }

  abandoned(): boolean {
    return this.#incoming.socket.destroyed;
  }
}

/** A request with too many parameters is refused (assembly/handle.ts): the explanation of that does not read them either. */
function readParams(raw: string): Params {
  return hasTooManyParams(raw) ? NO_PARAMS : parseParams(raw);
}
