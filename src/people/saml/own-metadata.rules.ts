import type { ProviderSettings } from '../../directory/providers/rules.ts';
import {
  ENCRYPTION,
  ENCRYPTION_11,
  METADATA,
  POST_BINDING,
  PROTOCOL,
  REDIRECT_BINDING,
  SIGNATURE,
} from './names.rules.ts';
import { escapeXml } from './xml.rules.ts';

export function metadataAddressOf(baseUrl: string, id: string): string {
  return `${baseUrl}/login/provider/${id}/metadata`;
}

/** What this server is called at the provider: each has an audience of its own, so that no assertion is good at another. */
export function entityIdOf(baseUrl: string, { id, entity_id }: Pick<ProviderSettings, 'id' | 'entity_id'>): string {
  return entity_id ?? metadataAddressOf(baseUrl, id);
}

/** What this server says of itself to a provider (SAML metadata section 2.4.4). */
export interface OwnMetadata {
  readonly entityId: string;
  readonly callback: string;
  readonly signsRequests: boolean;
  /** Where the provider comes back to from signing out there, and where it signs people out itself; undefined: nobody is signed out. */
  readonly signedOut: string | undefined;
  /** In base64, the one that is used first: signatures of a key that comes or goes are known there too. */
  readonly certificates: readonly string[];
}

/** In the order of preference (SAML metadata section 2.4.1.1). */
const METHODS = [
  `${ENCRYPTION_11}aes256-gcm`,
  `${ENCRYPTION_11}aes128-gcm`,
  `${ENCRYPTION}rsa-oaep-mgf1p`,
  `${ENCRYPTION_11}rsa-oaep`,
];

export function ownMetadataXml({ entityId, callback, signsRequests, signedOut, certificates }: OwnMetadata): string {
  const methods = METHODS.map(each => `<md:EncryptionMethod Algorithm="${each}"/>`).join('');
  const keys = [
    ...certificates.map(each => keyDescriptor('signing', each)),
    ...certificates.slice(0, 1).map(each => keyDescriptor('encryption', each, methods)),
  ];
  const signOut =
    signedOut === undefined
      ? []
      : [REDIRECT_BINDING, POST_BINDING].map(
          binding => `    <md:SingleLogoutService Binding="${binding}" Location="${escapeXml(signedOut)}"/>`,
        );
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${METADATA}" xmlns:ds="${SIGNATURE}" entityID="${escapeXml(entityId)}">
  <md:SPSSODescriptor protocolSupportEnumeration="${PROTOCOL}" AuthnRequestsSigned="${signsRequests}" WantAssertionsSigned="true">
${[...keys, ...signOut].join('\n')}
    <md:AssertionConsumerService Binding="${POST_BINDING}" Location="${escapeXml(callback)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

function keyDescriptor(use: 'signing' | 'encryption', certificate: string, methods = ''): string {
  return `    <md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods}</md:KeyDescriptor>`;
}
