import { z } from 'zod';
import { onceKey } from '../../platform/crypto/credential.ts';
import type { Services } from '../../services.ts';
import type { Input } from '../api/perform.ts';

/**
 * An act that an assistant proposes, and its operator approves in the console. It is in the address, sealed, so that an assistant that
 * proposes without end fills no table. Good once, for this operator, for a quarter of an hour.
 */
export interface Proposal {
  readonly id: string;
  /** The operator who signed in for the assistant. */
  readonly sub: string;
  readonly operation: string;
  readonly input: Input;
  readonly expiresAt: number;
}

export const PROPOSAL_SECONDS = 900;
/** Of the sealed text: an address that browsers and proxies take. */
const MAX_LENGTH = 6000;
const CALL_ID_BYTES = 8;
const PURPOSE = 'proposed act';

type Proposed = Pick<Proposal, 'sub' | 'operation' | 'input'>;

/** Undefined: it is too large. */
export function proposalAddress(services: Services, proposed: Proposed): string | undefined {
  const { ring, clock, random, config } = services;
  const proposal: Proposal = {
    ...proposed,
    id: random.bytes(16).toString('base64url'),
    expiresAt: clock.now() + PROPOSAL_SECONDS,
  };
  const sealed = ring.seal(PURPOSE, Buffer.from(JSON.stringify(proposal))).toString('base64url');
  return sealed.length > MAX_LENGTH ? undefined : `${config.baseUrl}/console/proposals/${sealed}`;
}

const texts = z.record(z.string(), z.string());
const proposal = z.object({
  id: z.string(),
  sub: z.string(),
  operation: z.string(),
  input: z.object({ params: texts, query: texts, body: z.unknown() }),
  expiresAt: z.int(),
});

/** Undefined: it was not made here, is another operator's, or has expired. */
export function openProposal({ ring, clock }: Services, sealed: string, sub: string): Proposal | undefined {
  if (sealed.length > MAX_LENGTH) return undefined;
  const plain = ring.open(PURPOSE, Buffer.from(sealed, 'base64url'));
  if (!plain) return undefined;
  const read = proposal.safeParse(JSON.parse(plain.toString()));
  if (!read.success || read.data.sub !== sub || read.data.expiresAt <= clock.now()) return undefined;
  const { input, ...rest } = read.data;
  return { ...rest, input: { ...input, body: input.body } };
}

/** Exactly one of any number of approvals, on any node, is told to act. */
export function takeProposal({ store, random }: Services, { id, expiresAt }: Proposal): Promise<boolean> {
  return store.useOnce(onceKey(PURPOSE, [id], expiresAt + PROPOSAL_SECONDS), random.bytes(CALL_ID_BYTES));
}
