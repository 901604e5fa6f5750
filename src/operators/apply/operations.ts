import { z } from 'zod';
import { isSelfRegistered } from '../../directory/clients/rules.ts';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import { outsideRequest } from '../../platform/store/request-time.ts';
import { hasRole, mayAccess } from '../api/caller.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../api/list.ts';
import { type OperationContext, operation } from '../api/operation.ts';
import { conflict, done, type Outcome } from '../api/outcome.ts';
import { duplicates } from './apply-file.ts';
import { type CarriedOut, type Confirmed, carryOut, type Planned } from './carry-out.ts';
import { confirmedRemovals, differenceView, viewOf } from './difference-view.ts';
import { exportedCodes } from './export.ts';
import { applicationEntry, providerEntry, userEntry } from './export-entries.ts';
import { type Fault, placeOf } from './fault.ts';
import { type ApplyFile, applyFileSchema } from './file-schema.ts';
import type { PlanOptions } from './plan-step.ts';
import { faultsOfCaller, faultsOfPlan } from './rights.ts';
import { withoutSecrets } from './without-secrets.ts';

/** /apply, /diff and /export: the apply file at the admin API, for a command line without the database. */

const flag = (description: string) => z.boolean().default(false).meta({ description });

const planFields = (fields: Fields) => ({
  file: applyFileSchema(fields).meta({ description: 'The apply file (docs/configuration.md) as JSON.' }),
  prune: flag(
    'Also delete the applications, clients, APIs and token exchange policies that the file does not name, and the identity providers and links of users that its lists of them do not name.',
  ),
  prune_users: flag('With prune: also delete the users that the file does not name, but no operator.'),
  allow_empty: flag('Prune also if the file names no application, or with prune_users no user.'),
  reset_passwords: flag('Set the passwords in the file for existing users too.'),
});

const planned = z.object({
  changes: z.array(differenceView),
  notes: z.array(z.string()).meta({ description: 'What the operator has to know beside the changes.' }),
});

const EXAMPLE = { file: { applications: [{ code: 'shop', name: 'Shop' }] } };

export const diffFile = operation({
  summary: 'Compare an apply file with what is stored: what POST /apply would change. Changes nothing.',
  role: 'auditor',
  reach: 'filtered',
  query: z.strictObject({}),
  body: fields => z.strictObject(planFields(fields)),
  result: planned,
  example: EXAMPLE,
  async run(context, { body }) {
    // An auditor reads everything except secrets.
    const { file, notes } = hasRole(context.caller, 'operator')
      ? { file: body.file, notes: [] }
      : withoutSecrets(await context.services.tables.fields(), body.file);
    return outcomeOf(await carriedOut(context, file, { ...optionsOf(body), dryRun: true }, 'all'), notes);
  },
});

export const applyFile = operation({
  summary: 'Bring applications, clients and users to what an apply file says: all of it, or nothing.',
  role: 'operator',
  reach: 'filtered',
  query: z.strictObject({}),
  body: fields =>
    z.strictObject({
      ...planFields(fields),
      allow_removals: flag('Remove what the file names as empty lists without a confirmation. prune implies it.'),
      confirmed_removals: confirmedRemovals.optional(),
    }),
  result: planned,
  example: EXAMPLE,
  async run(context, { body }) {
    const confirmed =
      body.prune || body.allow_removals ? 'all' : ((body.confirmed_removals ?? []) as unknown as Confirmed);
    return outcomeOf(await carriedOut(context, body.file, optionsOf(body), confirmed));
  },
});

interface GivenOptions {
  readonly prune: boolean;
  readonly prune_users: boolean;
  readonly allow_empty: boolean;
  readonly reset_passwords: boolean;
}

function optionsOf({ prune, prune_users, allow_empty, reset_passwords }: GivenOptions): PlanOptions {
  return { prune, pruneUsers: prune && prune_users, allowEmpty: allow_empty, resetPasswords: reset_passwords };
}

/** The time of a request is too short for thousands of entries on PostgreSQL; passwords wait for their turn behind the logins. */
async function carriedOut(
  { services, caller, origin, answerFor }: OperationContext,
  file: ApplyFile,
  options: PlanOptions,
  confirmed: Confirmed,
): Promise<CarriedOut> {
  const faults = [...duplicates(file, new Set()), ...faultsOfCaller(caller, file, options)];
  if (faults.length > 0) return { kind: 'faulty', faults };
  const { passwords } = services;
  const inTurn = { ...services, passwords: { ...passwords, hash: passwords.hashInTurn } };
  return outsideRequest(() =>
    carryOut(inTurn, file, options, confirmed, {
      by: { actor: caller.actor, ...origin },
      refuse: plan => faultsOfPlan(services, caller, file, plan),
      answerFor: plan => answerFor?.(resultOf(plan, options)),
    }),
  );
}

function resultOf({ differences, notes }: Planned, { dryRun }: PlanOptions): z.output<typeof planned> {
  // A secret that is not stored must not be shown.
  const shown = dryRun ? differences.map(({ generatedSecret: _, ...rest }) => rest) : differences;
  return { changes: shown.map(viewOf), notes: [...notes] };
}

const UNCONFIRMED = 'The file removes things that confirmed_removals does not name, such as ';

/** `notes`: before those of the plan. */
function outcomeOf(carried: CarriedOut, notes: readonly string[] = []): Outcome<z.output<typeof planned>> {
  switch (carried.kind) {
    case 'done':
      return done(resultOf({ ...carried.plan, notes: [...notes, ...carried.plan.notes] }, {}));
    case 'alreadyAnswered':
      return carried;
    case 'faulty':
      return { kind: 'invalid', errors: carried.faults.map(bodyFault) };
    case 'unconfirmed':
      return conflict(`${UNCONFIRMED}${JSON.stringify(carried.removals[0]?.object)}.`);
  }
}

/** A fault of no place in the file is one of the whole. */
function bodyFault({ path, message, other }: Fault): { pointer: string; detail: string } {
  const pointer = (path ?? []).map(part => `/${String(part)}`).join('');
  return {
    pointer: path === undefined ? '' : `/file${pointer}`,
    detail: other ? `${message} ${placeOf(other)}` : message,
  };
}

const entry = z.looseObject({}).meta({ description: 'An entry of an apply file.' });

export const exportApplications = operation({
  summary: 'Export applications with their clients as entries of an apply file, without secrets.',
  role: 'auditor',
  reach: 'filtered',
  query: z.strictObject({ ...pageQuery, application: z.string().optional().meta({ description: 'Only this one.' }) }),
  result: pageOf(entry),
  async run({ services: { store, tables }, caller }, { query }) {
    const { cursor = '', limit, application } = query;
    const fields = await tables.fields();
    const all = (await exportedCodes(store, application)).filter(code => mayAccess(caller, code) && code > cursor);
    const codes = all.slice(0, limit);
    const items = [];
    for (const code of codes) {
      const found = await store.findStoredApplication(code);
      if (!found || found.deletedAt !== undefined) continue;
      const clients = (await store.clientsOf(code)).filter(client => !isSelfRegistered(client));
      items.push({ ...applicationEntry(fields, found.application, clients) });
    }
    const last = codes.at(-1);
    const next = all.length > limit && last !== undefined ? Buffer.from(last).toString('base64url') : null;
    return done({ items, next });
  },
});

export const exportProviders = operation({
  summary: 'Export identity providers as entries of an apply file, without secrets.',
  role: 'auditor',
  reach: 'deployment',
  query: z.strictObject(pageQuery),
  result: pageOf(entry),
  async run({ services: { store, tables } }, { query }) {
    const fields = await tables.fields();
    const { after = '', limit } = pageAfter(query);
    const found = (await store.listProviders()).filter(({ id }) => id > after).slice(0, limit);
    return done(
      toPage(
        found,
        query,
        ({ id }) => id,
        provider => ({ ...providerEntry(fields, provider) }),
      ),
    );
  },
});

export const exportUsers = operation({
  summary: 'Export users as entries of an apply file, without passwords and second factors.',
  role: 'auditor',
  reach: 'deployment',
  query: z.strictObject(pageQuery),
  result: pageOf(entry),
  async run({ services: { store } }, { query }) {
    const found = await store.accountsAfter(query.cursor, query.limit + 1);
    const links = await store.linksOfUsers(found.map(({ sub }) => sub));
    return done(
      toPage(
        found,
        query,
        ({ username }) => username,
        account => ({ ...userEntry(account, { links: links.get(account.sub) }) }),
      ),
    );
  },
});
