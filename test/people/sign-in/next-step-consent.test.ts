import { describe } from 'node:test';
import type { Scope } from '../../../src/oauth/token/scope.rules.ts';
import { ALICE, BOB, CONSENTED, HERE, OLD, OWN, SELECTED, table } from './given.ts';

describe('when consent is asked for (OIDC Core section 3.1.2.4, row 21)', () => {
  const all = ['openid', 'email'] as const;
  const requireConsent = true;
  const prompt = ['consent'] as const;
  table([
    ['the client needs none', { session: OLD }, 'done'],
    ['the client needs it, and there is none', { session: OLD, requireConsent }, 'consent'],
    ['the client needs it, and there is no session', { requireConsent }, 'password'],
    ['it was given before', { session: OLD, requireConsent, consented: all }, 'done'],
    ['more was given before', { session: OLD, requireConsent, consented: [...all, 'phone'] }, 'done'],
    ['less was given before', { session: OLD, requireConsent, consented: ['openid'] }, 'consent'],
    ['other scopes were given before', { session: OLD, requireConsent, consented: ['phone', 'profile'] }, 'consent'],
    ['it was given for this request', { session: OLD, requireConsent, consented: all, progress: CONSENTED }, 'done'],
    [
      'it was given for this request, and withdrawn since',
      { session: OLD, requireConsent, progress: CONSENTED },
      'consent',
    ],
    [
      'it was given for this request, withdrawn since, and nothing may be asked',
      { session: OLD, requireConsent, prompt: ['none'], progress: CONSENTED },
      'consent_required',
    ],
    [
      'single claims go beyond what was given',
      { session: OLD, requireConsent, consented: all, claims: { userinfo: ['nickname'], id_token: [] } },
      'consent',
    ],
    [
      'single claims of the ID token go beyond what was given',
      { session: OLD, requireConsent, consented: all, claims: { userinfo: [], id_token: ['phone_number'] } },
      'consent',
    ],
    [
      'single claims that what was given covers, and the acr, which needs no consent',
      { session: OLD, requireConsent, consented: all, claims: { userinfo: ['email'], id_token: ['email', 'acr'] } },
      'done',
    ],
    [
      'single claims of a client that needs none',
      { session: OLD, claims: { userinfo: ['nickname'], id_token: [] } },
      'done',
    ],
    [
      'another user gave it for this request',
      { session: { ...OLD, sub: BOB }, requireConsent, progress: CONSENTED },
      'consent',
    ],
    ['a login alone is no consent', { session: OWN, requireConsent, progress: HERE }, 'consent'],
    ['continuing with the session is no consent', { session: OLD, requireConsent, progress: SELECTED }, 'consent'],
    ['there is none, and nothing may be asked', { session: OLD, requireConsent, prompt: ['none'] }, 'consent_required'],
    [
      'there is some, and nothing may be asked',
      { session: OLD, requireConsent, consented: all, prompt: ['none'] },
      'done',
    ],
    [
      'neither login nor consent, and nothing may be asked: the login comes first',
      { requireConsent, prompt: ['none'] },
      'login_required',
    ],
    ['it is asked for anew', { session: OLD, prompt }, 'consent'],
    ['it is asked for anew, though it was given before', { session: OLD, prompt, consented: all }, 'consent'],
    ['it was asked for anew and given', { session: OLD, prompt, progress: CONSENTED }, 'done'],
    [
      'it was asked for anew and given by another user',
      { session: { ...OLD, sub: BOB }, prompt, progress: CONSENTED },
      'consent',
    ],
    ['it is asked for with a login: the login comes first', { session: OLD, prompt: ['login', 'consent'] }, 'password'],
    ['… then the consent', { session: OWN, prompt: ['login', 'consent'], progress: HERE }, 'consent'],
    ['… then all is done', { session: OWN, prompt: ['login', 'consent'], progress: CONSENTED }, 'done'],
    [
      'it is asked for with a selection: the selection comes first',
      { session: OLD, prompt: ['consent', 'select_account'] },
      'select-account',
    ],
    [
      '… then the consent of the selected user',
      { session: OLD, prompt: ['consent', 'select_account'], progress: SELECTED },
      'consent',
    ],
    [
      '… then all is done, selection and consent',
      { session: OLD, prompt: ['consent', 'select_account'], progress: { ...SELECTED, consentedBy: ALICE } },
      'done',
    ],
  ]);
});

describe('a native client is asked for at its first use (RFC 8252 section 8.6, row 27)', () => {
  const LOOPBACK = 'http://127.0.0.1:51004/cb';
  table([
    ['the first use', { session: OLD, nativeRedirect: LOOPBACK }, 'consent'],
    ['at a private scheme', { session: OLD, nativeRedirect: 'com.example.app:/cb' }, 'consent'],
    ['at https it is no native client', { session: OLD, nativeRedirect: 'https://spa.example/cb' }, 'done'],
    ['nothing may be asked', { session: OLD, nativeRedirect: LOOPBACK, prompt: ['none'] }, 'consent_required'],
    [
      'the user agreed before',
      { session: OLD, nativeRedirect: LOOPBACK, consented: ['openid', 'email', 'phone'], prompt: ['none'] },
      'done',
    ],
    ['it asks for more than before', { session: OLD, nativeRedirect: LOOPBACK, consented: ['openid'] }, 'consent'],
  ]);
});

describe('offline_access alone asks for no consent (row 18)', () => {
  const scope: readonly Scope[] = ['openid', 'offline_access'];
  table([
    ['agreed to the rest before', { session: OLD, scope, requireConsent: true, consented: ['openid'] }, 'done'],
    ['agreed to nothing yet', { session: OLD, scope, requireConsent: true }, 'consent'],
    [
      'agreed to nothing yet, and it is all that is asked',
      { session: OLD, scope: ['offline_access'], requireConsent: true },
      'consent',
    ],
    [
      'a native client that another program imitates, with nothing else',
      { session: OLD, scope: ['offline_access'], nativeRedirect: 'http://127.0.0.1/cb', prompt: ['none'] },
      'consent_required',
    ],
    ['no consent is required', { session: OLD, scope }, 'done'],
  ]);
});
