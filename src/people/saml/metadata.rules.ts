import { type KeyObject, X509Certificate } from 'node:crypto';
import { METADATA, POST_BINDING, PROTOCOL, REDIRECT_BINDING, SIGNATURE } from './names.rules.ts';
import { bytesOf } from './signature.rules.ts';
import { secondsOf } from './time.rules.ts';
import { attribute, childrenNamed, readXml, type XmlElement, type XmlFault } from './xml.rules.ts';

/** What an identity provider says of itself (SAML metadata section 2.4.3). Who may say it, the operator decides: by the text, or by its address. */
export interface IdentityProvider {
  readonly entityId: string;
  /** Every key that it signs with; two while it replaces one. */
  readonly keys: readonly KeyObject[];
  readonly signOn: Endpoints;
  readonly signOut: Endpoints;
  /** Where answers to its own requests to sign out go (SAML metadata section 2.2.2). */
  readonly signOutAnswers: Endpoints;
  readonly wantsSignedRequests: boolean;
  readonly nameIdFormats: readonly string[];
  /** It is not used after this time, in seconds. */
  readonly validUntil: number | undefined;
}

export interface Endpoints {
  readonly redirect: string | undefined;
  readonly post: string | undefined;
}

export type MetadataFault =
  | XmlFault
  | 'notMetadata'
  | 'noIdentityProvider'
  | 'severalIdentityProviders'
  | 'noKey'
  | 'noSignOn';

export type MetadataRead =
  | { readonly kind: 'read'; readonly identityProvider: IdentityProvider }
  | { readonly kind: 'refused'; readonly fault: MetadataFault };

/** Entra's has 70 KB, most of it about other protocols. A federation's has many providers, and is not the metadata of one. */
export const MAX_METADATA_LENGTH = 256 * 1024;
const MAX_ENTITY_ID_LENGTH = 1024;
const MAX_KEYS = 20;
const MIN_RSA_BITS = 2048;
const CURVES: readonly string[] = ['prime256v1', 'secp384r1', 'secp521r1'];

export function readMetadata(text: string): MetadataRead {
  // People copy them into files, with an empty line before the declaration.
  const read = readXml(text.trim(), { maxLength: MAX_METADATA_LENGTH, comments: 'skip' });
  if (read.kind === 'refused') return read;
  const entities = [...entitiesIn(read.root)];
  if (entities.length === 0) return refused('notMetadata');
  const roles = entities.flatMap(entity =>
    childrenNamed(entity, METADATA, 'IDPSSODescriptor')
      .filter(role => (attribute(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL))
      .map(role => ({ entity, role })),
  );
  const [found] = roles;
  if (!found) return refused('noIdentityProvider');
  if (roles.length > 1) return refused('severalIdentityProviders');
  return identityProviderOf(found.entity, found.role);
}

function* entitiesIn(element: XmlElement): Generator<XmlElement> {
  if (element.namespace !== METADATA) return;
  if (element.name === 'EntityDescriptor') yield element;
  if (element.name !== 'EntitiesDescriptor') return;
  for (const child of element.children) if (typeof child !== 'string') yield* entitiesIn(child);
}

function refused(fault: MetadataFault): MetadataRead {
  return { kind: 'refused', fault };
}

function identityProviderOf(entity: XmlElement, role: XmlElement): MetadataRead {
  const entityId = attribute(entity, 'entityID') ?? '';
  if (entityId === '' || entityId.length > MAX_ENTITY_ID_LENGTH) return refused('notMetadata');
  const keys = keysOf(role);
  if (keys.length === 0) return refused('noKey');
  const signOn = endpoints(role, 'SingleSignOnService');
  if (signOn.redirect === undefined && signOn.post === undefined) return refused('noSignOn');
  const ends = [entity, role].flatMap(each => secondsOf(attribute(each, 'validUntil')) ?? []);
  return {
    kind: 'read',
    identityProvider: {
      entityId,
      keys,
      signOn,
      signOut: endpoints(role, 'SingleLogoutService'),
      signOutAnswers: endpoints(role, 'SingleLogoutService', ['ResponseLocation', 'Location']),
      wantsSignedRequests: /^(true|1)$/.test(attribute(role, 'WantAuthnRequestsSigned') ?? ''),
      nameIdFormats: childrenNamed(role, METADATA, 'NameIDFormat').map(each => each.children.join('').trim()),
      validUntil: ends.length === 0 ? undefined : Math.min(...ends),
    },
  };
}

function keysOf(role: XmlElement): readonly KeyObject[] {
  const certificates = childrenNamed(role, METADATA, 'KeyDescriptor')
    .filter(each => (attribute(each, 'use') ?? 'signing') === 'signing')
    .flatMap(each => childrenNamed(each, SIGNATURE, 'KeyInfo'))
    .flatMap(each => childrenNamed(each, SIGNATURE, 'X509Data'))
    .flatMap(each => childrenNamed(each, SIGNATURE, 'X509Certificate'));
  return certificates.slice(0, MAX_KEYS).flatMap(each => keyIn(bytesOf(each)) ?? []);
}

/** A certificate carries a key here and says nothing else: its dates and issuer are those of a self-signed file (SAML metadata IOP 1.0). */
function keyIn(certificate: Buffer | undefined): KeyObject | undefined {
  if (!certificate) return undefined;
  try {
    const key = new X509Certificate(certificate).publicKey;
    return isStrong(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

function isStrong({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= MIN_RSA_BITS;
  return type === 'ec' && CURVES.includes(details?.namedCurve ?? '');
}

function endpoints(
  role: XmlElement,
  name: 'SingleSignOnService' | 'SingleLogoutService',
  attributes: readonly string[] = ['Location'],
): Endpoints {
  const services = childrenNamed(role, METADATA, name);
  const locationOf = (binding: string) => {
    const service = services.find(each => attribute(each, 'Binding') === binding);
    const address = attributes.map(each => service && attribute(service, each)).find(each => each !== undefined);
    // The browser is sent there: `javascript:` is no address.
    return /^https?:$/.test(URL.parse(address ?? '')?.protocol ?? '') ? address : undefined;
  };
  return { redirect: locationOf(REDIRECT_BINDING), post: locationOf(POST_BINDING) };
}
