/**
 * Introspection and refresh with one application and with ten thousand, asked for all of them in no order: what a process
 * keeps of each (its registration, its client, its keys) it must keep of all, or read again. The tokens are as many.
 */
import { checkAnswers } from '../check.ts';
import { pause } from '../child.ts';
import { type Target, users } from '../fixture.ts';
import { load } from '../load/load.ts';
import { residentMemory } from '../processor.ts';
import { GATEHOUSE, provisionGatehouse, startGatehouse } from '../servers/gatehouse.ts';
import { growApplications } from '../servers/grow-applications.ts';
import { type Place, type Started, valueFiles } from '../servers/place.ts';
import { compare, pairOf, say } from './compare.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import type { Stage } from './stage.ts';

const SETTLE_MS = 1000;
const PATIENCE_SECONDS = 120;

export async function measureApplications(stage: Stage, options: Options): Promise<Report> {
  const few = await prepare(stage, 'few', options.few, options.tokens);
  const many = await prepare(stage, 'many', options.many, options.tokens);
  await pause(SETTLE_MS);
  const idle = [few, many].map(({ target }) => megabytes(target));
  const targets = [few.target, many.target] as const;
  for (const target of targets) await checkAnswers(target);
  const firsts = await firstRequests(many.target, options);
  const compared = await compare(
    { introspection: pairOf('introspection', ...targets, options), refresh: pairOf('refresh', ...targets, options) },
    options,
  );
  for (const target of targets) await checkAnswers(target);
  const starts = [few, many].map(({ milliseconds }) => Math.round(milliseconds));
  const loaded = targets.map(megabytes);
  return {
    compared,
    memory: residentMemory(many.target.pid ?? 0),
    notes: {
      'the first request of each application, per second': firsts,
      'start to first answer': `${starts.join(' → ')} ms`,
      'memory before the load': `${idle.join(' → ')} MB`,
      'memory after it': `${loaded.join(' → ')} MB`,
    },
  };
}

/** What is kept of an application is read and prepared once; how fast, is another matter than what follows. */
async function firstRequests(target: Target, { many, connections }: Options): Promise<string> {
  const works = ['introspection', 'refresh'] as const;
  const rates: string[] = [];
  for (const work of works) {
    const { perSecond } = await load(target, work, { seconds: PATIENCE_SECONDS, connections, most: many });
    rates.push(`${work} ${Math.round(perSecond)}`);
  }
  return rates.join(', ');
}

function megabytes({ pid }: Target): number {
  return Math.round(residentMemory(pid ?? 0) ?? Number.NaN);
}

async function prepare(stage: Stage, name: string, applications: number, tokens: number): Promise<Started> {
  say(`Making ${applications} applications…`);
  const place = await stage.place(name);
  await provisionGatehouse(place, users.slice(0, 1));
  await growApplications(place, applications, tokens);
  const server = await startGatehouse(place);
  stage.atEnd(server.stop);
  return { ...server, target: { ...server.target, requests: requestsOf(server, place) } };
}

/** The first part of each line is the application, the second the credentials of its client. */
function requestsOf({ target }: Started, { folder }: Place): Target['requests'] {
  const { origin } = new URL(target.requests.discovery?.url ?? '');
  const files = valueFiles(folder, GATEHOUSE);
  const headers = { authorization: 'Basic {2}', 'content-type': 'application/x-www-form-urlencoded' };
  const post = { method: 'POST', headers } as const;
  const issuer = `${origin}/api/v1/authorize/{1}/oauth2`;
  return {
    introspection: {
      ...post,
      url: `${issuer}/introspect`,
      body: 'token={value}&token_type_hint=access_token',
      values: { file: files.access, use: 'round' },
    },
    refresh: {
      ...post,
      url: `${issuer}/token`,
      body: 'grant_type=refresh_token&refresh_token={value}',
      values: { file: files.refresh, use: 'chains' },
    },
  };
}
