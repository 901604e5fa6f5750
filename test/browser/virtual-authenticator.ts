import type { CDPSession, Page } from 'playwright-core';

/** An authenticator of Chromium's own (WebAuthn level 3 section 11), by the DevTools protocol. */
export interface VirtualAuthenticator {
  readonly id: string;
  credentials(): Promise<readonly VirtualCredential[]>;
  /** Puts a credential into it as it is: a copy of one, or one with another counter. */
  put(credential: VirtualCredential): Promise<void>;
  setUserVerified(isVerified: boolean): Promise<void>;
  /** Whether it answers at once; otherwise it waits for somebody to touch it. */
  setPresence(answers: boolean): Promise<void>;
  remove(): Promise<void>;
}

export interface VirtualCredential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
}

export interface AuthenticatorOptions {
  /** `usb`: a security key. */
  readonly transport?: 'internal' | 'usb';
  readonly hasUserVerification?: boolean;
  readonly isUserVerified?: boolean;
  /** Synchronised between devices. */
  readonly isSynced?: boolean;
  readonly answers?: boolean;
}

const sessions = new WeakMap<Page, CDPSession>();

async function cdpOf(page: Page): Promise<CDPSession> {
  const known = sessions.get(page);
  if (known) return known;
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  sessions.set(page, cdp);
  return cdp;
}

export async function plugIn(page: Page, options: AuthenticatorOptions = {}): Promise<VirtualAuthenticator> {
  const { transport = 'internal', hasUserVerification = true, isUserVerified = true } = options;
  const { isSynced = false, answers = true } = options;
  const cdp = await cdpOf(page);
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification,
      isUserVerified,
      automaticPresenceSimulation: answers,
      defaultBackupEligibility: isSynced,
      defaultBackupState: isSynced,
    },
  });
  return {
    id: authenticatorId,
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    put: async credential => {
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    },
    setUserVerified: async isUserVerified => {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    setPresence: async enabled => {
      await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    remove: async () => {
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    },
  };
}
