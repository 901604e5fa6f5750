import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isNative,
  isRegistered,
  originOf,
  registrationFault,
} from '../../../src/oauth/authorize/redirect-uri.rules.ts';
import { client } from './given.ts';

const WEB = 'https://client.example/cb';
const web = (redirect_uris: readonly string[]) => client({ redirect_uris });
const native = (...redirect_uris: string[]) => client({ redirect_uris, token_endpoint_auth_method: 'none' });

describe('redirect addresses at request time (row 12)', () => {
  for (const attack of [
    'https://client.example/cb/',
    'https://client.example/cb?',
    'https://client.example/cb?x=1',
    'https://client.example/cb#',
    'https://client.example/cb#fragment',
    'https://client.example/CB',
    'https://CLIENT.example/cb',
    'HTTPS://client.example/cb',
    'https://client.example:443/cb',
    'https://client.example:8443/cb',
    'https://client.example./cb',
    'https://client.example//cb',
    'https://client.example/./cb',
    'https://client.example/x/../cb',
    'https://client.example/%63b',
    'https://client.example/cb%2f',
    'https://client.example/cb%00',
    'https://client.example/cb/../evil',
    'https://client.example/cb;evil',
    'https://client.example\\cb',
    'https:\\\\client.example\\cb',
    'https:/client.example/cb',
    'http://client.example/cb',
    '//client.example/cb',
    '/cb',
    ' https://client.example/cb',
    'https://client.example/cb ',
    'https://client.example/cb\n',
    'https://client.example/cb\t',
    'https://user@client.example/cb',
    'https://client.example@evil.example/cb',
    'https://client.example:x@evil.example/cb',
    'https://client.example.evil.example/cb',
    'https://evil.example/https://client.example/cb',
    'https://evil.example?https://client.example/cb',
    'https://evil.example#https://client.example/cb',
    'https://client.example/c',
    'https://сlient.example/cb',
    'javascript:alert(1)//https://client.example/cb',
    'data:text/html,https://client.example/cb',
    '',
    '*',
    'null',
  ]) {
    it(`${JSON.stringify(attack)} is not ${WEB}`, () => {
      assert.equal(isRegistered(web([WEB]), attack), false);
    });
  }

  it('is the registered address, whichever of them', () => {
    const list = ['com.example.app:/cb', WEB, 'https://client.example/cb?x=1'];
    for (const uri of list) assert.equal(isRegistered(web(list), uri), true);
    assert.equal(isRegistered(web([]), WEB), false);
  });

  const loopback = ['http://127.0.0.1/cb', 'http://[::1]/cb'];
  for (const [requested, good] of [
    ['http://127.0.0.1/cb', true],
    ['http://127.0.0.1:1/cb', true],
    ['http://127.0.0.1:51004/cb', true],
    ['http://127.0.0.1:65535/cb', true],
    ['http://[::1]/cb', true],
    ['http://[::1]:51004/cb', true],
    ['http://127.0.0.1:65536/cb', false],
    ['http://127.0.0.1:99999/cb', false],
    ['http://127.0.0.1:123456/cb', false],
    ['http://127.0.0.1:/cb', false],
    ['http://127.0.0.1:-1/cb', false],
    ['http://127.0.0.1:80x/cb', false],
    ['http://127.0.0.1:8080', false],
    ['http://127.0.0.1:8080/', false],
    ['http://127.0.0.1:8080/cb/', false],
    ['http://127.0.0.1:8080/cb?x', false],
    ['http://127.0.0.1:8080/cb#x', false],
    ['http://127.0.0.1:8080//cb', false],
    ['http://127.0.0.1:8080/../cb', false],
    ['http://127.0.0.1:8080\\cb', false],
    ['http://127.0.0.1:8080@evil.example/cb', false],
    ['http://127.0.0.1@evil.example/cb', false],
    ['http://127.0.0.1.evil.example/cb', false],
    ['http://127.0.0.1:8080.evil.example/cb', false],
    ['http://user@127.0.0.1:8080/cb', false],
    ['https://127.0.0.1:8080/cb', false],
    ['HTTP://127.0.0.1:8080/cb', false],
    ['http://127.0.0.2:8080/cb', false],
    ['http://127.1:8080/cb', false],
    ['http://2130706433/cb', false],
    ['http://0.0.0.0:8080/cb', false],
    ['http://localhost:8080/cb', false],
    ['http://[::1]:8080/other', false],
    ['http://[0:0:0:0:0:0:0:1]/cb', false],
    ['http://[::ffff:127.0.0.1]/cb', false],
    ['http://127.0.0.1:8080/cb\n', false],
    ['http://127.0.0.1:8080\n/cb', false],
  ] as const) {
    it(`${JSON.stringify(requested)} ${good ? 'is' : 'is not'} a loopback address with any port (RFC 8252 section 7.3)`, () => {
      assert.equal(isRegistered(web(loopback), requested), good);
    });
  }

  it('keeps to the port where the host is not a loopback literal', () => {
    assert.equal(isRegistered(web(['http://localhost:3000/cb']), 'http://localhost:3001/cb'), false);
    assert.equal(isRegistered(web(['https://127.0.0.1:3000/cb']), 'https://127.0.0.1:3001/cb'), false);
    assert.equal(isRegistered(web(['https://client.example:3000/cb']), 'https://client.example:3001/cb'), false);
  });

  it('frees the port of localhost for public clients alone, since it is all that some native libraries can use', () => {
    assert.equal(isRegistered(native('http://localhost/cb'), 'http://localhost:51004/cb'), true);
    assert.equal(isRegistered(native('http://localhost:3000/cb'), 'http://localhost/cb'), true);
    assert.equal(isRegistered(native('http://127.0.0.1/cb'), 'http://127.0.0.1:51004/cb'), true);
    assert.equal(isRegistered(web(['http://localhost/cb']), 'http://localhost:51004/cb'), false);
    for (const attack of [
      'http://localhost.evil.example:51004/cb',
      'http://localhost:51004@evil.example/cb',
      'http://localhost:51004/other',
      'http://localhost:65536/cb',
      'https://localhost:51004/cb',
      'http://LOCALHOST:51004/cb',
      'http://127.0.0.1:51004/cb',
    ]) {
      assert.equal(isRegistered(native('http://localhost/cb'), attack), false, attack);
    }
  });

  it('a public client at a loopback address or a private scheme is native, one at https is not (RFC 8252 section 8.6)', () => {
    for (const uri of ['http://127.0.0.1/cb', 'http://[::1]:9/cb', 'http://localhost:9/cb', 'com.example.app:/cb']) {
      assert.equal(isNative(native(uri), uri), true, uri);
      assert.equal(isNative(web([uri]), uri), false, uri);
    }
    assert.equal(isNative(native(WEB), WEB), false);
  });

  it('does not mix the two loopback literals up', () => {
    assert.equal(isRegistered(web(['http://127.0.0.1/cb']), 'http://[::1]/cb'), false);
    assert.equal(isRegistered(web(['http://[::1]:9/cb']), 'http://127.0.0.1:9/cb'), false);
  });

  it('frees the port of a loopback literal that was registered with one or with a query', () => {
    assert.equal(isRegistered(web(['http://127.0.0.1:3000/cb']), 'http://127.0.0.1:3001/cb'), true);
    assert.equal(isRegistered(web(['http://127.0.0.1?a=1']), 'http://127.0.0.1:3001?a=1'), true);
  });
});

describe('redirect addresses at registration (row 12)', () => {
  for (const uri of [
    'https://client.example/cb',
    'https://client.example',
    'https://client.example:8443/cb?x=1&y=2',
    'https://xn--fsq.example/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]/cb',
    'http://localhost:3000/cb',
    'com.example.app:/oauth2/cb',
    'com.example.app://cb',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    'shop:/cb',
    'ssh:/cb',
    'psp:/cb',
    'tps:/cb',
  ]) {
    it(`${uri} can be registered`, () => {
      assert.equal(registrationFault(uri), undefined);
    });
  }

  for (const [uri, why] of [
    ['https://client.example/cb#fragment', /fragment/],
    ['https://client.example/cb#', /fragment/],
    ['https://*.example/cb', /wildcard/],
    ['https://client.example/*', /wildcard/],
    ['https://user@client.example/cb', /user name/],
    ['https://user:password@client.example/cb', /user name/],
    ['https://:password@client.example/cb', /user name/],
    ['https://@client.example/cb', /user name/],
    ['https://:@client.example/cb', /user name/],
    ['javascript:alert(1)', /scheme/],
    ['JavaScript:alert(1)', /scheme/],
    ['data:text/html,x', /scheme/],
    ['file:///etc/passwd', /scheme/],
    ['vbscript:x', /scheme/],
    ['blob:https://client.example/x', /scheme/],
    ['about:blank', /scheme/],
    ['view-source:https://client.example/', /scheme/],
    // Row 62: a slip of http or https, with the likely fix.
    ['htps://client.example/cb', /must not use the scheme htps: \(do you mean https:\/\/client\.example\/cb\?\)$/],
    ['htp:/client.example/cb', /do you mean https:\/\/client\.example\/cb\?/],
    ['htttps://client.example/cb', /do you mean https:\/\/client\.example\/cb\?/],
    ['HTTSP://client.example/cb', /do you mean https:\/\/client\.example\/cb\?/],
    ['htp://localhost:3000/cb', /do you mean http:\/\/localhost:3000\/cb\?/],
    ['ttps://[::1]:3000/cb', /do you mean http:\/\/\[::1\]:3000\/cb\?/],
    ['hptts://client.example/cb', /do you mean https:/],
    ['httpss://client.example/cb', /do you mean https:/],
    ['thtps://client.example/cb', /do you mean https:/],
    ['htp:', /do you mean https:\/\/\?/],
    ['/cb', /absolute/],
    ['cb', /absolute/],
    ['//client.example/cb', /absolute/],
    ['https://', /absolute/],
    ['https:client.example/cb', /host/],
    ['https:/client.example/cb', /host/],
    ['https:///client.example/cb', /host/],
    ['https:\\\\client.example\\cb', /backslash/],
    ['http://client.example/cb', /https/],
    ['http://127.0.0.1.evil.example/cb', /https/],
    ['http://localhost.evil.example/cb', /https/],
    ['http://127.0.0.2/cb', /https/],
    ['http://[::2]/cb', /https/],
    ['', /printable/],
    [' https://client.example/cb', /printable/],
    ['https://client.example/cb\n', /printable/],
    ['https://client.example/\u4f60', /printable/],
    ['java\tscript:alert(1)', /printable/],
  ] as const) {
    it(`${JSON.stringify(uri)} is refused: ${why.source}`, () => {
      assert.match(registrationFault(uri) ?? 'accepted', why);
    });
  }
});

describe('web origins of redirect addresses (row 55)', () => {
  for (const [uri, origin] of [
    ['https://client.example/cb', 'https://client.example'],
    ['https://client.example:443/cb', 'https://client.example'],
    ['https://client.example:8443/cb', 'https://client.example:8443'],
    ['http://127.0.0.1:8080/cb', 'http://127.0.0.1:8080'],
    ['com.example.app:/cb', undefined],
  ] as const) {
    it(`${uri} has ${origin ?? 'none'}`, () => {
      assert.equal(originOf(uri), origin);
    });
  }
});
