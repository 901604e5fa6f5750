import assert from 'node:assert/strict';
import { exchange } from './exchange.ts';
import { CALLBACK, PASSWORD } from './fixture.ts';
import type { ServerAddress } from './test-server.ts';

/** A user with a browser without JavaScript: keeps cookies, follows redirects within the server, fills in forms. */
export interface Seen {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Absolute, when the answer is a redirect. */
  readonly location: string | undefined;
}

type Sent = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> };

export interface Form {
  readonly action: string;
  readonly fields: URLSearchParams;
}

export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  /** One request, no redirect followed. */
  async go(url: string, init: Sent = {}): Promise<Seen> {
    const headers: Record<string, string> = { accept: 'text/html', ...init.headers };
    if (this.cookies.size > 0) headers.cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await exchange(url, { ...init, headers });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    const location = answer.headers.get('location');
    return {
      url,
      ...answer,
      location: location === null ? undefined : new URL(location, url).href,
    };
  }

  /** Follows redirects within the server; stops at a page or at an address of another server. */
  async follow(url: string, init?: Sent): Promise<Seen> {
    let seen = await this.go(url, init);
    for (let hops = 0; hops < 10 && seen.location?.startsWith(`${this.#base}/`); hops++)
      seen = await this.go(seen.location);
    return seen;
  }

  /** Sends a form of the page, as a browser would. */
  async send(form: Form, values: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Seen> {
    const body = new URLSearchParams(form.fields);
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    return this.follow(form.action, {
      method: 'POST',
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.#base, ...headers },
    });
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';');
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    if (attributes.some(attribute => /^\s*max-age=0$/i.test(attribute))) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(equals + 1));
  }
}

/** The form of a page that holds a control of this name. */
export function formWith(page: Seen, control: string): Form {
  const forms = page.text.match(/<form\b[\s\S]*?<\/form>/g) ?? [];
  const found = forms.find(form => form.includes(`name="${control}"`));
  assert(found, `no form with ${control} on the page: ${page.status} ${page.text.slice(0, 300)}`);
  const fields = new URLSearchParams();
  for (const [tag] of found.matchAll(/<input type="hidden"[^>]*>/g)) {
    fields.append(attribute(tag, 'name'), attribute(tag, 'value'));
  }
  return { action: new URL(attribute(found, 'action'), page.url).href, fields };
}

function attribute(tag: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return value.replace(/&(amp|lt|gt|quot|#39);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

export type Fields = Readonly<Record<string, string | undefined>>;

export function query(fields: Fields): string {
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(present).toString();
}

export function authorizationUrl(server: ServerAddress, fields: Fields = {}, app?: string): string {
  const defaults = { client_id: 'web', response_type: 'code', redirect_uri: CALLBACK, state: 'st' };
  return `${server.at(app)}/auth?${query({ ...defaults, ...fields })}`;
}

/** Sends an authorization request, signs in if the login page is shown, and returns the response to the client. */
export async function signIn(
  server: ServerAddress,
  fields: Fields = {},
  options: { app?: string; visitor?: Visitor; username?: string; password?: string } = {},
): Promise<Seen> {
  const { visitor = new Visitor(server.base), username = 'alice', password = PASSWORD } = options;
  const seen = await visitor.follow(authorizationUrl(server, fields, options.app));
  return seen.text.includes('name="password"')
    ? visitor.send(formWith(seen, 'password'), { username, password })
    : seen;
}

/** The answer a client finds in the address it was sent to, in the query or in the fragment. */
export function answerIn(seen: Seen): Record<string, string> {
  assert(seen.location, `no redirect: ${seen.status} ${seen.text.slice(0, 300)}`);
  const { searchParams, hash } = new URL(seen.location);
  return { ...Object.fromEntries(searchParams), ...Object.fromEntries(new URLSearchParams(hash.slice(1))) };
}
