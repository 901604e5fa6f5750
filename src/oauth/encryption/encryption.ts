import type { Client } from '../../directory/clients/rules.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Services } from '../../services.ts';
import type { Encrypt, EncryptedAnswer } from './rules.ts';

const loadEncryption = keptImport(() => import('./encrypt.ts'));

/** Answers that a client has asked to be encrypted (`chosenEncryption`); nobody else calls it, and nothing is loaded before. */
export interface Encryption {
  /** Undefined: the client has no key for it now, so it must not get this answer at all. */
  to(client: Client, answer: EncryptedAnswer, form?: 'nested' | 'claims'): Promise<Encrypt | undefined>;
}

export function createEncryption({ keySets }: Pick<Services, 'keySets'>): Encryption {
  return {
    to: async (client, answer, form = 'nested') => (await loadEncryption()).encryptionTo(keySets, client, answer, form),
  };
}
