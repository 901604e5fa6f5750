import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { BASIC, type Target } from './fixture.ts';

const SAMPLES = 100;

/** A server that says no is fast: before anything is measured, and after, tokens from the whole file must be good. */
export async function checkAnswers(target: Target): Promise<{ introspection: string; userinfo: string }> {
  const tokens = readFileSync(target.accessTokens, 'utf8').trim().split('\n');
  let introspection = '';
  let userinfo = '';
  for (let sample = 0; sample < SAMPLES; sample++) {
    const token = tokens[Math.floor((sample / SAMPLES) * tokens.length)] ?? '';
    introspection = await ask(target.introspection, {
      method: 'POST',
      headers: { authorization: BASIC },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    });
    assert.equal(JSON.parse(introspection).active, true, `${target.name}: a seeded token is not active`);
    userinfo = await ask(target.userinfo, { headers: { authorization: `Bearer ${token}` } });
    assert.match(JSON.parse(userinfo).email, /@bench\.example$/, `${target.name}: userinfo is not complete`);
  }
  return { introspection, userinfo };
}

/** Every session gives a code, without a page in between. */
export async function checkAuthorization(target: Target): Promise<void> {
  for (const session of readFileSync(target.sessions, 'utf8').trim().split('\n').slice(0, SAMPLES)) {
    const headers = { cookie: `gatehouse_session=${session}` };
    const answer = await fetch(target.authorization, { headers, redirect: 'manual' });
    assert.match(answer.headers.get('location') ?? '', /[?&]code=/, `${target.name}: no code for a live session`);
  }
}

async function ask(url: string, init: RequestInit): Promise<string> {
  const answer = await fetch(url, init);
  assert.equal(answer.status, 200, `${url} answered ${answer.status}`);
  return answer.text();
}
