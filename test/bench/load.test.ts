import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { after, describe, it } from 'node:test';
import type { Target } from '../../bench/fixture.ts';
import { endLoad, load } from '../../bench/load/load.ts';
import { compile, type RequestForm, type Values } from '../../bench/load/request.ts';
import { openSupply } from '../../bench/load/supply.ts';
import { listen } from '../build/listen.ts';
import { suitePart } from '../build/suite-part.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

/** What the benchmark says is only as good as the load it makes. */
describe('the load of the benchmark', () => {
  after(endLoad);
  const folder = suitePart(temporaryFolder);
  let answer: RequestListener;
  const server = suitePart(() => listen((incoming, outgoing) => answer(incoming, outgoing)));

  const targetWith = (form: Partial<RequestForm> = {}): Target => {
    const url = `${server.origin}/`;
    return { name: 'stand-in', pid: undefined, requests: { userinfo: { method: 'GET', url, ...form } } };
  };
  const file = (name: string, lines: readonly string[], use: Values['use']): Values => {
    const path = folder.file(name);
    writeFileSync(path, `${lines.join('\n')}\n`);
    return { file: path, use };
  };

  it('sends each value of a list once and counts the bytes of a body', async () => {
    const bodies: string[] = [];
    answer = async (incoming, outgoing) => {
      let body = '';
      for await (const part of incoming) body += part;
      bodies.push(body);
      outgoing.end('{}');
    };
    const values = file('once.txt', ['a', 'bcd', 'ef'], 'once');
    const target = targetWith({ method: 'POST', body: 'token={value}&x=1', values });
    const { requests } = await load(target, 'userinfo', { connections: 2, seconds: 1 });
    assert.equal(requests, 3);
    assert.deepEqual(bodies.sort(), ['token=a&x=1', 'token=bcd&x=1', 'token=ef&x=1']);
  });

  it('reads answers that come in pieces, in chunks, or without a body', async () => {
    let count = 0;
    answer = (_incoming, outgoing) => {
      switch (count++ % 3) {
        case 0:
          outgoing.writeHead(200, { 'content-length': 4 });
          outgoing.write('ab');
          setTimeout(() => outgoing.end('cd'), 5);
          return;
        case 1:
          outgoing.write('ab');
          setTimeout(() => outgoing.end('cd'), 5);
          return;
        default:
          outgoing.writeHead(302, { location: '/elsewhere', 'content-length': 0 }).end();
      }
    };
    const { requests } = await load(targetWith(), 'userinfo', { connections: 3, seconds: 5, most: 30 });
    assert.deepEqual({ requests, count }, { requests: 30, count: 30 });
  });

  it('ends the benchmark when a request fails', async () => {
    answer = (_incoming, outgoing) => outgoing.writeHead(503).end('busy');
    const how = { connections: 1, seconds: 1, most: 2 };
    await assert.rejects(load(targetWith(), 'userinfo', how), /2 requests of userinfo failed:\nHTTP\/1.1 503/);
  });

  it('takes every family of refresh tokens in turn, and counts an answer without a rotation as a failure', () => {
    const supply = openSupply(file('chain.txt', ['a\tr0', 'b\ts0', 'c\tt0'], 'chain'));
    const rotated = (name: string) => `{"refresh_token":"${name}","id_token":"x"}`;
    assert.deepEqual([supply.next(0), supply.next(1)], ['a\tr0', 'b\ts0']);
    assert.equal(supply.answered(1, rotated('s1')), true);
    assert.deepEqual([supply.next(1), supply.next(2)], ['c\tt0', 'b\ts1']);
    assert.equal(supply.next(3), undefined, 'all are in hand');
    assert.equal(supply.answered(0, rotated('r0')), false, 'it did not rotate');
    assert.equal(supply.next(0), 'a\tr0');
    assert.equal(supply.answered(2, '{"refresh_token":"s2"}'), false, 'no ID token');
  });

  it('puts the parts of a line where they belong, the address included', () => {
    const render = compile({
      method: 'POST',
      url: 'http://h:1/{1}/introspect',
      headers: { authorization: 'Basic {2}' },
      body: 'token={value}&x=1',
    });
    assert.equal(
      render('shop\tYQ==\tt0'),
      'POST /shop/introspect HTTP/1.1\r\nhost: h:1\r\nauthorization: Basic YQ==\r\ncontent-length: 12\r\n\r\ntoken=t0&x=1',
    );
  });

  it('puts the value into a header as well', () => {
    const render = compile({ method: 'GET', url: 'http://h:1/p?q=1', headers: { authorization: 'Bearer {value}' } });
    assert.equal(render('t'), 'GET /p?q=1 HTTP/1.1\r\nhost: h:1\r\nauthorization: Bearer t\r\n\r\n');
  });
});
