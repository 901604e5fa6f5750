import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Answered, assertNotStored, assertRefused, parameter, post, send, WEB } from '../../build/client.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { withStatus } from '../../build/with-status.ts';
import { RawCaller } from '../../platform/http/raw-caller.ts';

const FORM = 'application/x-www-form-urlencoded';
const LARGEST = 64 * 1024;
const PASSWORD_GRANT = 'grant_type=password&username=alice&password=correct+horse+battery+staple';

describe('token endpoint', () => {
  let url: string;
  const server = suiteServer();
  before(async () => {
    url = `${server.at()}/token`;
  });

  describe('method, content type and size (row 30)', () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      it(`refuses ${method} with 405 and Allow`, async () => {
        const answered = await withStatus(405, send(url, { method, headers: { authorization: WEB } }));
        assert.deepEqual(allowed(answered), ['OPTIONS', 'POST']);
        assertNotStored(answered);
        if (method !== 'HEAD') assertRefused(answered, 405, 'invalid_request');
      });
    }

    it('takes a POST with neither Content-Length nor Transfer-Encoding as one without a body (RFC 9112 section 6.3)', async () => {
      const caller = await RawCaller.open(server.base);
      const { host, pathname } = new URL(url);
      for (let request = 1; request <= 3; request++) {
        caller.send(`POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${FORM}\r\n\r\n`);
        await until('it is answered', () => caller.statuses().length === request);
      }
      assert.deepEqual(caller.statuses(), ['401', '401', '401']);
      caller.close();
    });

    for (const type of [
      FORM,
      `${FORM};charset=UTF-8`,
      `${FORM} ; charset=utf-8`,
      'Application/X-WWW-Form-UrlEncoded',
    ]) {
      it(`takes the content type ${type}`, async () => {
        await withStatus(200, post(url, PASSWORD_GRANT, { auth: WEB, headers: { 'content-type': type } }));
      });
    }

    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', `${FORM}x`, `x${FORM}`]) {
      it(`refuses the content type ${type}`, async () => {
        const answered = await post(url, PASSWORD_GRANT, { auth: WEB, headers: { 'content-type': type } });
        assertRefused(answered, 400, 'invalid_request');
        assert.match(answered.json.error_description, /content-type/i);
      });
    }

    it('refuses a body without a content type', async () => {
      const answered = await send(url, {
        method: 'POST',
        body: Buffer.from(PASSWORD_GRANT),
        headers: { authorization: WEB },
      });
      assertRefused(answered, 400, 'invalid_request');
    });

    it('takes a body of 64 KiB', async () => {
      await withStatus(200, post(url, padded(LARGEST), { auth: WEB }));
    });

    it('refuses a body of one byte more with 413', async () => {
      const answered = await post(url, padded(LARGEST + 1), { auth: WEB });
      assertRefused(answered, 413, 'invalid_request');
      assertNotStored(answered);
    });

    it('refuses a body of unknown length once it is too long, with 413', async () => {
      const piece = Buffer.alloc(16 * 1024, 'x');
      const body = new ReadableStream({
        start(controller) {
          for (let count = 0; count < 5; count++) controller.enqueue(piece);
          controller.close();
        },
      });
      const headers = { authorization: WEB, 'content-type': FORM };
      assertRefused(await send(url, { method: 'POST', body, headers, duplex: 'half' }), 413, 'invalid_request');
    });

    it('refuses a body that is not UTF-8', async () => {
      const body = Buffer.concat([Buffer.from(`${PASSWORD_GRANT}&scope=`), Buffer.from([0xff, 0xfe])]);
      const headers = { authorization: WEB, 'content-type': FORM };
      assertRefused(await send(url, { method: 'POST', body, headers }), 400, 'invalid_request');
    });

    it('ignores parameters in the URL', async () => {
      assertRefused(
        await post(`${url}?${PASSWORD_GRANT}`, '', { auth: WEB }),
        400,
        'invalid_request',
        parameter('grant_type'),
      );
      await withStatus(200, post(`${url}?scope=nonsense&grant_type=x&scope=twice`, PASSWORD_GRANT, { auth: WEB }));
    });
  });
});

function allowed({ headers }: Answered): string[] {
  return (headers.get('allow') ?? '').split(/, */).sort();
}

function padded(length: number): string {
  const start = `${PASSWORD_GRANT}&padding=`;
  return start + 'x'.repeat(length - start.length);
}
