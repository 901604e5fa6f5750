/** Logout with ten thousand live codes and with a million, none of which belong to the sessions that end. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Target } from '../fixture.ts';
import { fill } from '../load/request.ts';
import { residentMemory } from '../processor.ts';
import { startGatehouse } from '../servers/gatehouse.ts';
import { growCodes, logoutRequest } from '../servers/grow-codes.ts';
import { compare, pairOf, say } from './compare.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import type { Stage } from './stage.ts';

export async function measureCodes(stage: Stage, options: Options): Promise<Report> {
  const few = await prepare(stage, 'few', options.few, options.tokens);
  const many = await prepare(stage, 'many', options.many, options.tokens);
  // Every session ends once: each round has its share of them, and the first one is for the compiler.
  const most = Math.floor(options.tokens / (options.rounds + 1));
  for (const target of [few, many]) assert.equal(await isFirstSessionLive(target), true);
  const compared = await compare({ logout: pairOf('logout', few, many, { ...options, most }) }, options);
  for (const target of [few, many]) assert.equal(await isFirstSessionLive(target), false);
  return { compared, memory: residentMemory(many.pid ?? 0) };
}

async function prepare(stage: Stage, name: string, codes: number, sessions: number): Promise<Target> {
  say(`Making ${codes} live codes and ${sessions} sessions…`);
  const place = await stage.place(name);
  await growCodes(place, codes, sessions);
  const { target, baseUrl, stop } = await startGatehouse(place);
  stage.atEnd(stop);
  return { ...target, requests: { logout: logoutRequest(place, baseUrl) } };
}

/** A server that ends nothing is fast. The page at the same address asks whoever has a session, and tells the others so. */
async function isFirstSessionLive({ requests: { logout } }: Target): Promise<boolean> {
  const [cookie = ''] = readFileSync(logout?.values?.file ?? '', 'utf8').split('\n');
  const page = await fetch(logout?.url ?? '', { headers: { cookie: fill(logout?.headers?.cookie ?? '', cookie) } });
  assert.equal(page.status, 200);
  return (await page.text()).includes('method="post"');
}
