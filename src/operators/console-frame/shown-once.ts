import { createHash } from 'node:crypto';
import type { Request } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Services } from '../../services.ts';
import { answerToStore, callerKey, type Repeatable, sightOf, storedAnswer } from '../api/idempotency.ts';
import type { OperationContext } from '../api/operation.ts';
import type { AnyOperation } from '../api/operation-table.ts';
import { done, type Outcome } from '../api/outcome.ts';
import { type Forbidden, type Input, perform, refusedRights } from '../api/perform.ts';

/**
 * A form that makes something acts once, also when it is sent twice (a reload, a double click, two tabs of the same page): the second
 * gets the answer of the first for 24 hours, with its secret, as a repetition of an Idempotency-Key does in the admin API. A form is the
 * same if all its fields are; one of them is random and new with every page.
 */
const FIELD = 'once';

export function onceField({ random }: Pick<Services, 'random'>): Html {
  return html`<input type="hidden" name="${FIELD}" value="${random.bytes(16).toString('base64url')}">`;
}

export async function performOnce(
  context: OperationContext,
  request: Request,
  operation: AnyOperation,
  input: Input,
): Promise<Outcome<unknown> | Forbidden> {
  const { services, caller } = context;
  const repeatable = repeatableForm(callerKey(caller), request, `${operation.summary}${sightOf(operation, caller)}`);
  if (!repeatable) return perform(operation, context, input);
  const refused = refusedRights(operation, caller, input.params);
  if (refused) return refused;
  const answered = () => firstOutcome(services, repeatable);
  const before = await answered();
  if (before) return before;
  const answerFor = (result: unknown) =>
    answerToStore(services, repeatable, { status: operation.status, headers: {}, body: JSON.stringify(result) });
  const outcome = await perform(operation, { ...context, answerFor }, input);
  return outcome.kind === 'alreadyAnswered' ? ((await answered()) ?? outcome) : outcome;
}

/** No key of the admin API has a space: the two never meet. */
function repeatableForm(caller: string, request: Request, act: string): Repeatable | undefined {
  const fields = new URLSearchParams(request.body);
  if (!fields.get(FIELD)) return undefined;
  const requestHash = createHash('sha256').update(`${act}\0${request.path}\0${fields}`).digest();
  return { caller, key: `form ${requestHash.toString('base64url')}`, requestHash };
}

async function firstOutcome(services: Services, repeatable: Repeatable): Promise<Outcome<unknown> | undefined> {
  const stored = await storedAnswer(services, repeatable);
  if (stored === undefined || stored === 'other') return undefined;
  return done(JSON.parse(String(stored.body)));
}
