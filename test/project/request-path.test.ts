import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { describe, it } from 'node:test';
import type { Store } from '../../src/store.ts';
import { anAuthenticator } from '../build/authenticator.ts';
import { aTokenSet, refresh } from '../build/client.ts';
import { fixedClock } from '../build/clock.ts';
import { aUser } from '../build/fixture.ts';
import { suiteServer } from '../build/test-server.ts';
import { formWith, signIn, Visitor } from '../build/visitor.ts';

/**
 * How many files somebody reads who follows a request down to the first operation of the store: those of which a function runs.
 * src/platform knows no capability, so no reader of a refresh has to open it; its files are counted apart.
 */
const MOST_OF_A_REFRESH = 20;
const MOST_OF_A_LOGIN_WITH_TOTP = 30;
const MOST_OF_THE_PLATFORM = 20;

describe('a request is read in few files (docs/architecture.md)', () => {
  const clock = fixedClock();
  const app = anAuthenticator(clock);
  const server = suiteServer({ clock, store: 'SQLite', users: [aUser(), withTotp()] });

  it('a refresh, before the store', async () => {
    let refresh_token: string = (await aTokenSet(server)).refresh_token;
    // The first request loads the endpoint.
    refresh_token = (await refresh(server, refresh_token)).json.refresh_token;
    const files = await inEach(() =>
      filesBefore('rotateRefreshToken', async () => {
        refresh_token = (await refresh(server, refresh_token)).json.refresh_token;
      }),
    );
    assertAtMost(MOST_OF_A_REFRESH, files);
  });

  it('the second factor of a login, before the store', async () => {
    const submit = async () => {
      const visitor = new Visitor(server.base);
      const page = await signIn(server, {}, { visitor, username: 'tina' });
      return () => visitor.send(formWith(page, 'code'), { code: app.code() });
    };
    await (await submit())();
    const files = await inEach(async () => {
      clock.advance(60);
      return filesBefore('attemptSecondFactor', await submit());
    });
    assertAtMost(MOST_OF_A_LOGIN_WITH_TOTP, files);
  });

  function withTotp() {
    return aUser({
      username: 'tina',
      email: 'tina@example.com',
      phone_number: null,
      totp_secret: app.secret,
    });
  }

  /** Files below src/ of which a function ran from the request until the operation began. */
  async function filesBefore(operation: keyof Store, request: () => Promise<unknown>): Promise<readonly string[]> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true });
    await session.post('Profiler.takePreciseCoverage');
    const until = atFirstCall(operation, () => session.post('Profiler.takePreciseCoverage'));
    await request();
    const { result } = await until;
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
    return result.filter(({ functions }) => functions.some(hasRun)).flatMap(({ url }) => sourceOf(url));
  }

  /** What `act` gave before the next call of the operation, which goes on as it would have. */
  function atFirstCall<Result>(operation: keyof Store, act: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    const store = server.services.store as unknown as Record<string, (...input: unknown[]) => Promise<unknown>>;
    const real = store[operation];
    assert(real, operation);
    store[operation] = async (...input) => {
      store[operation] = real;
      resolve(await act());
      return real.apply(store, input);
    };
    return promise;
  }
});

/** What ran in each of three requests: what else is at work in the process, such as a timer of another file, is not in all of them. */
async function inEach(measured: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const [first = [], ...others] = [await measured(), await measured(), await measured()];
  return first.filter(file => others.every(each => each.includes(file)));
}

interface FunctionCoverage {
  readonly ranges: readonly { readonly count: number }[];
}

function hasRun({ ranges }: FunctionCoverage): boolean {
  return (ranges[0]?.count ?? 0) > 0;
}

/** Below src/. Another checkout may have compiled the same source into the compile cache, and its path is then in the address. */
function sourceOf(url: string): string[] {
  const path = /^file:(?!.*\/(?:node_modules|test|scripts)\/).*\/src\/(.+)$/.exec(url)?.[1];
  return path === undefined ? [] : [path];
}

function assertAtMost(most: number, files: readonly string[]): void {
  const isOfPlatform = (file: string) => file.startsWith('platform/');
  const ofCapabilities = files.filter(file => !isOfPlatform(file)).sort();
  assert(ofCapabilities.length > 10, 'nothing was measured');
  assert(ofCapabilities.length <= most, `${ofCapabilities.length} files: ${ofCapabilities.join(' ')}`);
  const ofPlatform = files.filter(isOfPlatform).sort();
  assert(ofPlatform.length <= MOST_OF_THE_PLATFORM, `${ofPlatform.length} files: ${ofPlatform.join(' ')}`);
}
