import { fetchDocument } from '../../platform/outbound/document.ts';
import type { Loaded } from '../../platform/outbound/document-cache.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** Entra's is 2 KB, and that of the most talkative provider 10. */
const METADATA = { accept: 'application/json', maxBytes: 64 * 1024 };

/** OpenID Connect Discovery section 4: what a provider publishes about itself. Whether its issuer is the one that was asked (4.3) says presets.rules.ts. */
export async function loadMetadata(issuer: string, outbound: Outbound): Promise<Loaded<Metadata>> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const fetched = await fetchDocument(address, METADATA, outbound);
  if (fetched.kind === 'failed') return fetched;
  const document = parsed(fetched.body.toString());
  if (!document) return { kind: 'failed', reason: 'the metadata are no JSON object' };
  return { kind: 'read', document, maxAge: fetched.maxAge };
}

function parsed(text: string): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Metadata) : undefined;
  } catch {
    return undefined;
  }
}
