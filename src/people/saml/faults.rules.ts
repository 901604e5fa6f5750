import type { LogoutFault } from './logout-request.rules.ts';
import type { MetadataFault } from './metadata.rules.ts';
import type { ResponseFault } from './response.rules.ts';
import type { XmlFault } from './xml.rules.ts';

/** What an operator reads of a fault: what was found, and where it is mended. None holds a text of the message itself. */

const xmlFaults: Readonly<Record<XmlFault, string>> = {
  malformed: 'is no well-formed XML',
  encoding: 'is not in UTF-8',
  tooLarge: 'is longer than 256 KiB, or has more than 5000 elements, or one with more than 64 attributes or namespaces',
  tooDeep: 'has elements that are nested too deeply',
  documentType: 'has a document type, which SAML messages never have',
  entity: 'has an entity that XML does not define',
  processingInstruction: 'has a processing instruction',
  cdata: 'has a CDATA section',
  comment: 'has a comment',
  character: 'has a character that XML does not allow',
  namespace: 'has a prefix without a namespace, or a namespace that is no URI',
  duplicateAttribute: 'has an attribute twice',
};

export const metadataFaults: Readonly<Record<MetadataFault, string>> = {
  ...xmlFaults,
  notMetadata: 'are no SAML metadata (an EntityDescriptor with an entityID)',
  noIdentityProvider: 'have no IDPSSODescriptor for SAML 2.0, as those of a service provider',
  severalIdentityProviders: 'have several identity providers, and those of one are needed',
  noKey: 'have no certificate for signing with an RSA key of 2048 bits or an EC key',
  noSignOn: 'have no SingleSignOnService with the HTTP-Redirect or HTTP-POST binding',
};

export const responseFaults: Readonly<Record<ResponseFault, string>> = {
  ...asSentences(xmlFaults),
  signatureForm: 'a signature has a form that SAML does not allow',
  signatureReference: 'a signature does not refer to the element that it is in',
  signatureTransform: 'a signature has another canonicalization or transform than exclusive canonicalization',
  signatureAlgorithm:
    'a signature has an algorithm that is not accepted, such as SHA-1: set SHA-256 for signatures at the provider',
  signatureDigest: 'the content was changed after it was signed',
  signatureValue: 'no key in the metadata of the provider has made the signature: renew them, or set metadata_url',
  encryptionForm: 'the encrypted assertion has a form that SAML does not allow',
  encryptionAlgorithm:
    'the assertion is encrypted with an algorithm that is not accepted: set AES-GCM, and RSA-OAEP for the key',
  encryptionUnauthenticated:
    'the assertion is encrypted with CBC, and the response is not signed: sign the response too, or set AES-GCM, or do not encrypt',
  decryption: 'the assertion is encrypted for another key: give the provider the metadata of this server anew',
  version: 'the assertion is not of SAML 2.0',
  issuer: 'the assertion has another issuer than the entityID of the metadata',
  issueInstant: 'the assertion has no time of issue',
  stale: 'the assertion was issued more than an hour ago',
  subject: 'the assertion has no subject',
  nameId: 'the NameID is missing, too long, or has spaces around it',
  encryptedNameId: 'the NameID is encrypted by itself: encrypt the assertion instead',
  confirmation: 'the subject has no bearer confirmation with Recipient and NotOnOrAfter',
  recipient: 'Recipient is not the callback URL of this provider: compare the assertion consumer service URL there',
  inResponseTo: 'InResponseTo is no request of this server',
  unsolicited: 'it answers no request (IdP-initiated): set allow_unsolicited, or begin at the application',
  conditions: 'the conditions are missing, or there is one that is not understood',
  audience: 'Audience is not the entity ID of this server: compare the entity ID (audience) there with entity_id here',
  notYetValid: 'it is not valid yet: compare the clocks of the provider and of this server',
  expired: 'it has expired: compare the clocks of the provider and of this server',
  authnStatement: 'the assertion does not say when the person authenticated (AuthnStatement)',
  sessionExpired: 'the session of the person at the provider is over',
  attributes: 'the assertion has more than 200 attributes or 2000 values',
  notResponse: 'it is no Response of SAML 2.0',
  duplicateId: 'an ID is there twice',
  foreignSignature: 'a signature is where none belongs',
  assertionCount: 'there is no assertion, or more than one',
  assertionPlace: 'the assertion is not a child of the response',
  unsigned: 'neither the response nor the assertion is signed',
  responseIssuer: 'the response has another issuer than the entityID of the metadata',
  destination: 'Destination is not the callback URL of this provider: compare the assertion consumer service URL there',
  responseInResponseTo: 'the response answers another request than its assertion',
};

/** Of a request of the provider to sign somebody out. */
export const logoutFaults: Readonly<Record<LogoutFault, string>> = {
  ...responseFaults,
  ...(Object.fromEntries(
    Object.entries(xmlFaults).map(([name, text]) => [name, `the request ${text}`]),
  ) as typeof xmlFaults),
  version: 'the request is not of SAML 2.0',
  issuer: 'the request has another issuer than the entityID of the metadata',
  issueInstant: 'the request has no ID, or no time of issue',
  notLogoutRequest: 'it is no LogoutRequest of SAML 2.0',
  unsignedRequest: 'the request is not signed: turn on signing of logout requests at the provider',
  requestDestination:
    'Destination is not the single logout URL of this provider: compare the logout URL there with our metadata',
  requestExpired:
    'the request has expired, or was made more than five minutes ago: compare the clocks of the provider and of this server',
};

function asSentences<Name extends string>(faults: Readonly<Record<Name, string>>): Readonly<Record<Name, string>> {
  const all = Object.entries<string>(faults).map(([name, text]) => [name, `the response ${text}`]);
  return Object.fromEntries(all) as Readonly<Record<Name, string>>;
}
