import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Target, Work } from './fixture.ts';
import { filler, type RequestForm } from './load/request.ts';

const SAMPLES = 50;

/** A server that says no is fast: before anything is measured, and after, values from the whole file must be good. */
export async function checkAnswers(target: Target): Promise<void> {
  for (const value of sampleOf(target, 'introspection')) {
    const introspection = await (await ask(target, 'introspection', value)).text();
    assert.equal(JSON.parse(introspection).active, true, `${target.name}: a token is not active:\n${introspection}`);
  }
  for (const value of sampleOf(target, 'userinfo')) {
    const userinfo = await (await ask(target, 'userinfo', value)).text();
    assert.match(userinfo, /"email": ?"[^"]+@/, `${target.name}: userinfo is not complete:\n${userinfo}`);
  }
  // Every session gives a code, without a page in between.
  for (const value of sampleOf(target, 'authorization')) {
    const answer = await ask(target, 'authorization', value);
    // To a fetch, some say in the body where a browser would be sent.
    const where = answer.headers.get('location') ?? (await answer.text());
    assert.match(where, /[?&]code=/, `${target.name}: no code for a live session:\n${where}`);
  }
}

function sampleOf(target: Target, work: Work): string[] {
  const file = target.requests[work]?.values?.file;
  if (file === undefined) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const count = Math.min(SAMPLES, lines.length);
  return Array.from({ length: count }, (_, sample) => lines[Math.floor((sample / count) * lines.length)] ?? '');
}

async function ask(target: Target, work: Work, value: string): Promise<Response> {
  const form = target.requests[work] as RequestForm;
  const filled = (text: string) => filler(text)(value);
  const answer = await fetch(filled(form.url), {
    method: form.method,
    redirect: 'manual',
    headers: Object.fromEntries(Object.entries(form.headers ?? {}).map(([name, text]) => [name, filled(text)])),
    ...(form.body !== undefined && { body: filled(form.body) }),
  });
  if (answer.status >= 400) assert.fail(`${form.url} answered ${answer.status}:\n${await answer.text()}`);
  return answer;
}
