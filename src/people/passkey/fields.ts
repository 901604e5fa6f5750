import { z } from 'zod';
import { applicationField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { nameFault } from '../../platform/text/readable-name.rules.ts';
import { coseKeyFault } from './cose-key.rules.ts';
import { MAX_PASSKEY_NAME_LENGTH, MAX_PASSKEYS, passkeyIdOf, TRANSPORTS } from './rules.ts';
import type { PasskeyRecord } from './store.ts';

/** The lengths of WebAuthn level 3: section 4 (credential id), section 5.4.3 (user handle). */
const CREDENTIAL_ID_BYTES = [16, 1023] as const;
const USER_HANDLE_BYTES = [1, 64] as const;
/** An RSA key of 4096 bits, and what is around it. */
const PUBLIC_KEY_BYTES = [32, 600] as const;
const MAX_SIGN_COUNT = 0xffffffff;

/** In the one form that browsers send, because credential ids and user handles are compared as texts. */
function base64url([least, most]: readonly [number, number]) {
  const fault = { error: `must be base64url of ${least} to ${most} bytes, without padding`, abort: true };
  return z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : undefined) })
    .max(Math.ceil((most * 4) / 3), fault)
    .refine(text => {
      const bytes = Buffer.from(text, 'base64url');
      return bytes.length >= least && bytes.length <= most && bytes.toString('base64url') === text;
    }, fault);
}

/** A passkey of a user in an apply file. It works only where the domain name is the one that it was made for. */
const passkeySchema = z
  .strictObject({
    credential_id: base64url(CREDENTIAL_ID_BYTES),
    public_key: base64url(PUBLIC_KEY_BYTES).superRefine((text, context) => {
      const fault = coseKeyFault(Buffer.from(text, 'base64url'));
      if (fault !== undefined) context.addIssue(fault);
    }),
    // Required: the authenticator sends it with each login, and nothing that is known here could stand for it.
    user_handle: base64url(USER_HANDLE_BYTES),
    name: z
      .string()
      .max(MAX_PASSKEY_NAME_LENGTH, `must have at most ${MAX_PASSKEY_NAME_LENGTH} characters`)
      .refine(text => text.trim() !== '' && nameFault(text) === undefined, 'must be one line of text')
      .optional(),
    sign_count: z.int().min(0).max(MAX_SIGN_COUNT).optional(),
    backup_eligible: z.boolean().optional(),
    backed_up: z.boolean().optional(),
    transports: z.array(z.enum(TRANSPORTS)).max(TRANSPORTS.length).optional(),
  })
  .refine(({ backup_eligible, backed_up }) => !(backed_up && backup_eligible === false), {
    path: ['backed_up'],
    message: 'must not be true where backup_eligible is false',
  });

export const passkeysSchema = z
  .array(passkeySchema)
  .max(MAX_PASSKEYS, `must be at most ${MAX_PASSKEYS}`)
  .superRefine((passkeys, context) => {
    const ids = passkeys.map(({ credential_id }) => credential_id);
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) < index) {
        context.addIssue({
          code: 'custom',
          path: [index, 'credential_id'],
          message: 'is that of another passkey here',
        });
      }
    }
  });

export const passkeyFields: DeclaredFields = {
  application: [
    applicationField('passkeys', {
      schema: z.boolean().default(true),
      meaning: 'Whether passkeys are offered and taken, for the login and as second factor.',
      section: 'signIn',
      text: {
        en: ['Passkeys', 'People can use a passkey instead of the password, or as a second factor.'],
        zh: ['通行密钥', '用户可以使用通行密钥代替密码登录，也可以将其用于双重验证。'],
      },
    }),
  ],
};

type PasskeyEntry = z.output<typeof passkeySchema>;

const DEFAULT_NAME = 'Passkey';

/** What is backed up is eligible for it (section 6.1.3); otherwise the first login tells. */
export function passkeyRecord(entry: PasskeyEntry): PasskeyRecord {
  const { credential_id, backed_up = false, backup_eligible = backed_up || undefined } = entry;
  return {
    id: passkeyIdOf(credential_id),
    credentialId: credential_id,
    publicKey: entry.public_key,
    userHandle: entry.user_handle,
    transports: entry.transports ?? [],
    name: entry.name?.trim() ?? DEFAULT_NAME,
    signCount: entry.sign_count ?? 0,
    isBackedUp: backed_up,
    ...(backup_eligible === undefined ? {} : { isSyncable: backup_eligible }),
  };
}

/** The other way round. `userHandle`: of a passkey that was made here. */
export function passkeyEntry(record: PasskeyRecord, userHandle: string): PasskeyEntry {
  return {
    credential_id: record.credentialId,
    public_key: record.publicKey,
    user_handle: record.userHandle ?? userHandle,
    name: record.name,
    sign_count: record.signCount,
    ...(record.isSyncable === undefined ? {} : { backup_eligible: record.isSyncable }),
    backed_up: record.isBackedUp,
    transports: TRANSPORTS.filter(each => record.transports.includes(each)),
  };
}
