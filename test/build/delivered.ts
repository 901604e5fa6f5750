import assert from 'node:assert/strict';
import { CALLBACK } from './fixture.ts';
import type { TestServer } from './test-server.ts';
import { formWith, type Seen } from './visitor.ts';

/** The authorization response that a client receives through the browser, and where in the request it finds it. */
export interface Delivered {
  readonly place: 'query' | 'fragment' | 'form_post';
  /** The address, without what was added to it. */
  readonly to: string;
  readonly fields: Readonly<Record<string, string>>;
  /** As it stands in the Location header; empty for a form. */
  readonly raw: string;
}

export function delivered(seen: Seen, to = CALLBACK): Delivered {
  const location = seen.headers.get('location');
  if (location === null) {
    assert.equal(seen.status, 200, seen.text);
    const form = formWith(seen, seen.text.includes('name="response"') ? 'response' : 'iss');
    return { place: 'form_post', to: form.action, fields: once(form.fields), raw: '' };
  }
  assert.equal(seen.status, 302);
  assert(location.startsWith(to), `${location} does not begin with ${to}`);
  const raw = location.slice(to.length + 1);
  // A space is %20: a plus sign would be read as such in a fragment, and by every RFC 3986 decoder.
  assert.doesNotMatch(raw, /\+/);
  const mark = location.charAt(to.length);
  assert.match(mark, /[?&#]/);
  return { place: mark === '#' ? 'fragment' : 'query', to, fields: once(new URLSearchParams(raw)), raw };
}

function once(params: URLSearchParams): Record<string, string> {
  const names = [...params.keys()];
  assert.deepEqual(names, [...new Set(names)], 'a field came twice');
  return Object.fromEntries(params);
}

export interface Expected {
  readonly error: string;
  readonly description?: string;
  readonly place?: Delivered['place'];
  readonly state?: string | undefined;
  readonly app?: string;
  readonly to?: string;
}

/** Row 13: error, error_description, error_uri, state when sent, iss (row 22), and nothing else. */
export function assertSentBack(server: TestServer, seen: Seen, expected: Expected): void {
  const { error, description, place = 'query', to = CALLBACK } = expected;
  const answer = delivered(seen, to);
  const { error_description: text = '', ...rest } = answer.fields;
  const state = 'state' in expected ? expected.state : 'st';
  assert.deepEqual(rest, {
    error,
    error_uri: `${server.services.config.docsUrl}/${error}`,
    iss: server.at(expected.app),
    ...(state === undefined ? {} : { state }),
  });
  assert.match(text, /\S/);
  if (description !== undefined) assert.equal(text, description);
  assert.equal(answer.place, place);
  assert.equal(answer.to, to);
  assert.equal(seen.headers.get('cache-control'), 'no-store');
}

/** "Page" of the decisions: for a person, and never a redirect. */
export function assertPage(seen: Seen, status = 400): void {
  assert.equal(seen.status, status, seen.headers.get('location') ?? seen.text);
  assert.equal(seen.headers.get('location'), null);
  assert.equal(seen.headers.get('refresh'), null);
  assert.equal(seen.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(seen.headers.get('cache-control'), 'no-store');
  assert.doesNotMatch(seen.text, /http-equiv/i);
}
