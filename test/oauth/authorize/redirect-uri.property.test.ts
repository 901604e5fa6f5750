import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRegistered, registrationFault } from '../../../src/oauth/authorize/redirect-uri.rules.ts';
import { fc } from '../../build/random.ts';
import { client } from './given.ts';

const registered = (redirect_uris: readonly string[]) => client({ redirect_uris });
const path = fc.stringMatching(/^(\/[a-z0-9._-]{1,8}){0,3}(\?[a-z]{1,3}=[a-z0-9]{0,3})?$/);
const host = fc.stringMatching(/^[a-z]{1,8}(\.[a-z]{1,8}){1,2}$/);
const web = fc.tuple(host, path).map(([name, rest]) => `https://${name}${rest}`);
const port = fc.integer({ min: 1, max: 65535 });
const loopback = fc.tuple(fc.constantFrom('127.0.0.1', '[::1]'), path).map(([name, rest]) => `http://${name}${rest}`);
const character = fc.oneof(
  fc.constantFrom(...'/@#?\\:.%*& \n\0'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);

type Mutation = (uri: string) => string;
/** One change at any place: something put in, taken out or turned over. */
const mutation: fc.Arbitrary<Mutation> = fc
  .tuple(fc.nat(200), character, fc.constantFrom('insert', 'replace', 'remove', 'case', 'append', 'prepend', 'encode'))
  .map(
    ([place, text, kind]): Mutation =>
      uri => {
        const at = place % (uri.length + 1);
        const here = uri.charAt(at);
        const swapped = here === here.toLowerCase() ? here.toUpperCase() : here.toLowerCase();
        const put = (middle: string) => uri.slice(0, at) + middle + uri.slice(at + 1);
        switch (kind) {
          case 'insert':
            return uri.slice(0, at) + text + uri.slice(at);
          case 'replace':
            return put(text);
          case 'remove':
            return put('');
          case 'case':
            return put(swapped);
          case 'append':
            return uri + text;
          case 'prepend':
            return text + uri;
          default:
            return here === '' ? uri : put(`%${here.charCodeAt(0).toString(16).padStart(2, '0')}`);
        }
      },
  );

describe('redirect addresses, for all inputs', () => {
  it('a registered list never matches an address that is not in it', () => {
    fc.assert(
      fc.property(fc.array(web, { minLength: 1, maxLength: 4 }), fc.nat(3), mutation, (list, index, mutate) => {
        for (const uri of list) assert.equal(isRegistered(registered(list), uri), true);
        const mutated = mutate(list[index % list.length] ?? '');
        assert.equal(isRegistered(registered(list), mutated), list.includes(mutated));
      }),
      { numRuns: 500 },
    );
  });

  it('a loopback address matches with every port, and with nothing else changed', () => {
    fc.assert(
      fc.property(loopback, port, mutation, (uri, number, mutate) => {
        const withPort = (each: string, free: number) =>
          each.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))/, `$1:${free}`);
        const requested = withPort(uri, number);
        assert.equal(isRegistered(registered([uri]), requested), true);
        assert.equal(isRegistered(registered([requested]), uri), true);
        const mutated = mutate(requested);
        // The one freedom is another port: digits between the host and what follows it.
        const sameButPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?(.*)$/s.exec(mutated);
        const allowed =
          sameButPort !== null && Number(sameButPort[2] ?? 0) <= 65535 && `${sameButPort[1]}${sameButPort[3]}` === uri;
        assert.equal(isRegistered(registered([uri]), mutated), allowed, mutated);
      }),
      { numRuns: 500 },
    );
  });

  it('whatever matches goes to the host that was registered', () => {
    fc.assert(
      fc.property(fc.oneof(web, loopback), mutation, mutation, (uri, one, two) => {
        const requested = two(one(uri));
        if (!isRegistered(registered([uri]), requested)) return;
        assert.equal(new URL(requested).hostname, new URL(uri).hostname);
        assert.equal(new URL(requested).pathname, new URL(uri).pathname);
        assert.equal(new URL(requested).hash, '');
      }),
      { numRuns: 500 },
    );
  });

  it('what can be registered is an absolute address without fragment, wildcard or password', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string()),
        mutation,
        (uri, mutate) => {
          const mutated = mutate(uri);
          if (registrationFault(mutated) !== undefined) return;
          const url = new URL(mutated);
          assert.doesNotMatch(mutated, /[#*\s\\]/);
          assert.equal(url.username + url.password, '');
          assert.notEqual(url.protocol, 'javascript:');
          if (url.protocol === 'http:') assert.match(url.hostname, /^(localhost|127\.0\.0\.1|\[::1\])$/);
        },
      ),
      { numRuns: 500 },
    );
  });
});
