import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAdmission, NEVER_TURNED_AWAY } from '../../src/http/admission.ts';
import { createBusyReplies } from '../../src/http/busy-reply.ts';
import { match } from '../../src/http/router.ts';
import { createLog } from '../../src/observe/log.ts';
import { aClient, anApplication } from '../build/fixture.ts';
import { type House, openHouse } from '../build/house.ts';

/** Turns of an event loop by hand: so many requests, each taking so many milliseconds. */
function aLoop() {
  let at = 0;
  let ends: (() => void)[] = [];
  const atEnd = (end: () => void) => void ends.push(end);
  const admission = createAdmission({
    log: createLog('silent', false, () => {}),
    now: () => at,
    atEndOfIntake: atEnd,
    atEndOfTurn: atEnd,
  });
  const endTurn = () => {
    while (ends.length > 0) {
      const now = ends;
      ends = [];
      for (const end of now) end();
    }
  };
  return {
    now: () => at,
    pause: (milliseconds: number) => {
      at += milliseconds;
    },
    /** How many of the turn's requests were served. */
    turn(requests: number, eachMs: number, url = '/api/v1/authorize/shop/oauth2/token', isPushy = false): number {
      let served = 0;
      for (let count = 0; count < requests; count++) {
        if (admission.admits(url, isPushy)) {
          served++;
          admission.begins();
          at += eachMs;
          admission.finished();
        }
      }
      endTurn();
      return served;
    },
    /** As `turn`, for requests that wait for a database: how many are under way afterwards. */
    begin(requests: number): number {
      let begun = 0;
      for (let count = 0; count < requests; count++) {
        if (!admission.admits('/token', false)) continue;
        begun++;
        admission.begins();
      }
      endTurn();
      return begun;
    },
    finish(requests: number): void {
      for (let count = 0; count < requests; count++) admission.finished();
    },
  };
}

const OVERLOAD = [300, 0.2] as const;

function anOverloadedLoop() {
  const loop = aLoop();
  for (let turn = 0; turn < 3; turn++) assert.equal(loop.turn(...OVERLOAD), 300);
  assert.equal(loop.turn(...OVERLOAD), 16);
  return loop;
}

describe('admission', () => {
  it('serves 128 callers for as long as they come, however slow the processor', () => {
    const loop = aLoop();
    for (let turn = 0; turn < 100; turn++) assert.equal(loop.turn(128, 5), 128);
  });

  it('serves many short requests for as long as a turn stays short', () => {
    const loop = aLoop();
    for (let turn = 0; turn < 100; turn++) assert.equal(loop.turn(500, 0.02), 500);
  });

  it('turns away everybody but the probes while more than 256 have been under way for 100 ms', () => {
    const loop = aLoop();
    assert.equal(loop.begin(60), 60);
    for (let turn = 0; turn < 4; turn++) assert.equal(loop.begin(60), 60);
    loop.pause(99);
    assert.equal(loop.begin(1), 1);
    loop.pause(2);
    assert.equal(loop.begin(60), 0);
    assert.equal(loop.turn(1, 0, '/healthz'), 1);
    loop.finish(45);
    assert.equal(loop.begin(1), 1, 'one leaves, one may come');
  });

  it('serves 300 at once if they are done soon', () => {
    const loop = aLoop();
    for (let time = 0; time < 20; time++) {
      assert.equal(loop.begin(300), 300);
      loop.pause(50);
      loop.finish(300);
    }
  });

  it('serves a burst', () => {
    const loop = aLoop();
    assert.equal(loop.turn(400, 0.2), 400);
    loop.pause(200);
    assert.equal(loop.turn(400, 0.2), 400);
  });

  it('serves bursts with pauses in between for as long as they come', () => {
    const loop = aLoop();
    for (let burst = 0; burst < 20; burst++) {
      assert.equal(loop.turn(400, 0.2), 400);
      loop.pause(150);
    }
  });

  it('turns away what is beyond a turn once full turns have followed each other for 100 ms', () => {
    anOverloadedLoop();
  });

  it('serves as many at a time as in a turn while the overload lasts, so that nobody waits behind the others', () => {
    const loop = anOverloadedLoop();
    assert.equal(loop.begin(300), 16);
    assert.equal(loop.begin(300), 0);
    loop.finish(10);
    assert.equal(loop.begin(300), 10);
  });

  it('serves everybody again when nobody was turned away for 200 ms', () => {
    const loop = anOverloadedLoop();
    for (let turn = 0; turn < 20; turn++) {
      assert.equal(loop.turn(10, 1), 10);
      loop.pause(5);
    }
    assert.equal(loop.turn(...OVERLOAD), 300);
  });

  it('serves everybody again after a pause, the first turn included', () => {
    const loop = anOverloadedLoop();
    loop.pause(250);
    assert.equal(loop.turn(...OVERLOAD), 300);
  });

  it('serves everybody now and then, less and less often, to see whether the overload is still there', () => {
    const loop = anOverloadedLoop();
    const looks: number[] = [];
    let [previous, since] = [16, loop.now()];
    while (loop.now() < 40_000) {
      loop.pause(5);
      const served = loop.turn(...OVERLOAD);
      if (served === 300 && previous === 16) looks.push(Math.round((loop.now() - since) / 1000));
      else if (served === 16 && previous === 300) since = loop.now();
      previous = served;
    }
    assert.deepEqual(looks, [1, 2, 4, 8, 16]);
  });

  it('turns away first who sends requests ahead of the answers, or did not wait after a refusal', () => {
    const loop = anOverloadedLoop();
    assert.equal(loop.turn(300, 0.2, '/docs/errors', true), 0);
    assert.equal(loop.turn(300, 0.2), 16);
  });

  for (const url of NEVER_TURNED_AWAY) {
    it(`never turns ${url} away`, () => {
      const loop = anOverloadedLoop();
      assert.equal(loop.turn(300, 0.2, url), 300);
    });
  }

  it('logs how many it turned away, once a second at the most', async () => {
    let lines = '';
    let at = 0;
    const admission = createAdmission({
      log: createLog('info', false, line => {
        lines += line;
      }),
      now: () => at,
      atEndOfIntake: callback => queueMicrotask(callback),
      atEndOfTurn: callback => callback(),
    });
    for (let turn = 0; turn < 10; turn++) {
      for (let count = 0; count < 300; count++) {
        admission.admits('/', false);
        at += 0.2;
      }
      await Promise.resolve();
    }
    assert.equal(lines, '');
    await new Promise(resolve => setTimeout(resolve, 1100));
    assert.match(lines, /^\{[^\n]*"level":"warn","event":"overload","turnedAway":\d{4}\}\n$/);
  });
});

describe('the answer to who is turned away', () => {
  let house: House;
  before(async () => {
    house = await openHouse({ applications: [anApplication({ clients: [aClient()] })] });
  });
  after(() => house.close());
  const busy = (path: string, headers: Record<string, string> = {}) =>
    createBusyReplies(house.services)({ headers }, match(path));
  const TOKEN = '/api/v1/authorize/shop/oauth2/token';

  it('is the JSON error of section 7.1 for a program, with Retry-After', async () => {
    const { status, headers, body } = await busy(TOKEN);
    assert.equal(status, 503);
    assert.deepEqual(JSON.parse(String(body)), {
      error: 'temporarily_unavailable',
      error_description: 'The server is busy. Try again in a moment.',
      error_uri: `${house.services.config.docsUrl}/temporarily_unavailable`,
    });
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['retry-after'], '1');
    assert.equal(headers['www-authenticate'], undefined);
  });

  for (const [language, lang] of [
    ['en', 'en'],
    ['zh-CN,zh;q=0.9', 'zh-Hans'],
  ] as const) {
    it(`is a page for a person who reads ${lang}`, async () => {
      const { status, headers, body } = await busy('/login', { accept: 'text/html', 'accept-language': language });
      assert.equal(status, 503);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(headers['retry-after'], '1');
      assert(String(body).includes(`lang="${lang}"`));
    });
  }

  it('is JSON at a page for a caller who asks for it', async () => {
    const { headers } = await busy('/login', { accept: 'application/json' });
    assert.equal(headers['content-type'], 'application/json');
  });

  it('can be read by a page of a client, and of nobody else', async () => {
    const client = await busy(TOKEN, { origin: 'https://client.example' });
    assert.equal(client.headers['access-control-allow-origin'], 'https://client.example');
    assert.equal(client.headers['retry-after'], '1');
    const other = await busy(TOKEN, { origin: 'https://other.example' });
    assert.equal(other.headers['access-control-allow-origin'], undefined);
  });
});
