/** Introspection and refresh with ten thousand live tokens and with ten million, asked for tokens of all ages. */
import { checkAnswers } from '../check.ts';
import { type Target, usersWithoutPassword } from '../fixture.ts';
import { residentMemory } from '../processor.ts';
import { provisionGatehouse, startGatehouse } from '../servers/gatehouse.ts';
import { growTokens } from '../servers/grow.ts';
import { compare, pairOf, say } from './compare.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import type { Stage } from './stage.ts';

export async function measureTokens(stage: Stage, options: Options): Promise<Report> {
  const few = await prepare(stage, 'few', options.few);
  const many = await prepare(stage, 'many', options.many);
  for (const target of [few, many]) await checkAnswers(target);
  const compared = await compare(
    { introspection: pairOf('introspection', few, many, options), refresh: pairOf('refresh', few, many, options) },
    options,
  );
  for (const target of [few, many]) await checkAnswers(target);
  return { compared, memory: residentMemory(many.pid ?? 0) };
}

async function prepare(stage: Stage, name: string, tokens: number): Promise<Target> {
  say(`Making ${tokens} live tokens…`);
  const place = await stage.place(name);
  await provisionGatehouse(place, usersWithoutPassword);
  await growTokens(place, tokens);
  const { target, stop } = await startGatehouse(place);
  stage.atEnd(stop);
  const { introspection, userinfo, refresh } = target.requests;
  if (!introspection || !userinfo || !refresh?.values) throw new Error('Gatehouse has all of them');
  // Every family in turn, and not one for each connection, which would be refreshed again and again.
  const inTurn = { ...refresh, values: { ...refresh.values, use: 'chains' } } as const;
  return { ...target, requests: { introspection, userinfo, refresh: inTurn } };
}
