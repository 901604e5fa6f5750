import type { KeyRing } from '../../platform/crypto/key-ring.ts';

/** What a ping says, sealed while it waits: both are bearer credentials of the client. */
export interface PingContent {
  readonly authReqId: string;
  /** `client_notification_token`, by which the client knows the ping. */
  readonly token: string;
}

const PURPOSE = 'backchannel ping';

export function sealPing(ring: Pick<KeyRing, 'seal'>, id: string, content: PingContent): Uint8Array {
  return ring.seal(PURPOSE, Buffer.from(JSON.stringify(content)), id);
}

/** Undefined: none of the server's secrets opens it. */
export function openPing(ring: Pick<KeyRing, 'open'>, id: string, sealed: Uint8Array): PingContent | undefined {
  const opened = ring.open(PURPOSE, sealed, id);
  return opened && (JSON.parse(opened.toString()) as PingContent);
}
