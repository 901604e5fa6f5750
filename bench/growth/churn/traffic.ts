import assert from 'node:assert/strict';
import { type Endpoints, standardRequests } from '../../fixture.ts';
import type { RequestForm } from '../../load/request.ts';
import type { Housekeeping } from '../../servers/virtual-time.ts';
import type { Ask, Callers } from './callers.ts';
import type { VirtualServer } from './virtual-server.ts';

/**
 * What people and their clients do all day. Everybody signs in once: session, code, tokens. Three of four stay; their client
 * refreshes once or twice, shortly before its access token ends, and is then heard of no more, as with people who close
 * their browser. The fourth logs out after a while. Whenever a client has got a token, two are asked about.
 */
const REFRESH_AFTER = 50;
const LEAVE_AFTER = 20;
const INTROSPECTED = 2;
/** How many of the last tokens are asked about, and handed to the load. */
const REMEMBERED = 20_000;
/** Minutes: older ones are not asked about, since they may have ended. */
const FRESH_ACCESS = 30;
const FRESH_REFRESH = 240;

interface Family {
  readonly refreshToken: string;
  readonly refreshesLeft: number;
}

interface Issued {
  readonly token: string;
  readonly minute: number;
}

export class Traffic {
  readonly #perMinute: number;
  readonly #refreshes = new Map<number, Family[]>();
  readonly #leaving = new Map<number, string[]>();
  #access: Issued[] = [];
  #finished: Issued[] = [];
  #minute = 0;
  #logins = 0;

  constructor(perHour: number) {
    this.#perMinute = perHour / 60;
  }

  /** Everything that is due in the next minute, while the server does its housekeeping. Answers what became of that. */
  async passMinute(server: VirtualServer, callers: Callers): Promise<Housekeeping> {
    const [housekeeping] = await Promise.all([server.passMinute(), this.#requests(server, callers)]);
    return housekeeping;
  }

  async #requests(server: VirtualServer, callers: Callers): Promise<void> {
    const minute = this.#minute++;
    const forms = formsOf(server.endpoints);
    const cookies = await server.come(this.#due(minute));
    await server.go(take(this.#leaving, minute));
    await callers.each(cookies, (cookie, ask) => this.#signIn(forms, ask, cookie, minute));
    await callers.each(take(this.#refreshes, minute), (family, ask) => this.#refresh(forms, ask, family, minute));
    this.#forget();
  }

  /** Live access tokens. */
  get accessTokens(): readonly string[] {
    return this.#access.map(({ token }) => token);
  }

  /** Live refresh tokens that nobody uses any more. */
  get refreshTokens(): readonly string[] {
    return this.#finished.map(({ token }) => token);
  }

  #due(minute: number): number {
    return Math.floor((minute + 1) * this.#perMinute) - Math.floor(minute * this.#perMinute);
  }

  async #signIn(forms: Forms, ask: Ask, cookie: string, minute: number): Promise<void> {
    const code = partOf(await ask(forms.authorization, cookie), /[?&]code=([^&\s]+)/);
    const tokens = await ask(forms.code, code);
    const number = this.#logins++;
    if (number % 4 === 0) {
      add(this.#leaving, minute + LEAVE_AFTER, cookie);
      return;
    }
    await this.#take(forms, ask, tokens, 1 + (number % 2), minute);
  }

  async #refresh(forms: Forms, ask: Ask, family: Family, minute: number): Promise<void> {
    const tokens = await ask(forms.refresh, family.refreshToken);
    await this.#take(forms, ask, tokens, family.refreshesLeft - 1, minute);
  }

  async #take(forms: Forms, ask: Ask, tokens: string, refreshesLeft: number, minute: number): Promise<void> {
    this.#access.push({ token: partOf(tokens, /"access_token":"([^"]+)"/), minute });
    const refreshToken = partOf(tokens, /"refresh_token":"([^"]+)"/);
    if (refreshesLeft > 0) add(this.#refreshes, minute + REFRESH_AFTER, { refreshToken, refreshesLeft });
    else this.#finished.push({ token: refreshToken, minute });
    for (let count = 0; count < INTROSPECTED; count++) {
      const one = this.#access[Math.floor(Math.random() * this.#access.length)];
      assert.match(await ask(forms.introspection, one?.token ?? ''), /"active":true/);
    }
  }

  #forget(): void {
    const since = (minutes: number) => (issued: Issued) => issued.minute > this.#minute - minutes;
    this.#access = this.#access.filter(since(FRESH_ACCESS)).slice(-REMEMBERED);
    this.#finished = this.#finished.filter(since(FRESH_REFRESH)).slice(-REMEMBERED);
  }
}

type Forms = Readonly<Record<'authorization' | 'code' | 'refresh' | 'introspection', RequestForm>>;

const known = new WeakMap<Endpoints, Forms>();

/** The same for the same server, so that they are compiled once. */
function formsOf(endpoints: Endpoints): Forms {
  const found = known.get(endpoints);
  if (found) return found;
  const nowhere = { access: '', refresh: '', codes: '', sessions: '' };
  const { code, refresh, introspection } = standardRequests(endpoints, nowhere);
  const authorization = { method: 'GET', url: endpoints.authorization, headers: { cookie: '{value}' } } as const;
  const forms = { authorization, code, refresh, introspection };
  known.set(endpoints, forms);
  return forms;
}

function partOf(text: string, pattern: RegExp): string {
  const part = pattern.exec(text)?.[1];
  assert(part !== undefined, `no ${pattern.source} in:\n${text}`);
  return part;
}

function add<T>(all: Map<number, T[]>, minute: number, one: T): void {
  const list = all.get(minute);
  if (list) list.push(one);
  else all.set(minute, [one]);
}

function take<T>(all: Map<number, T[]>, minute: number): T[] {
  const list = all.get(minute) ?? [];
  all.delete(minute);
  return list;
}
