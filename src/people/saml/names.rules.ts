/** Namespaces and identifiers of SAML 2.0, XML Signature and XML Encryption that are understood here. */

export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
export const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#';
export const ENCRYPTION_11 = 'http://www.w3.org/2009/xmlenc11#';

export const EXCLUSIVE_CANONICAL = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const SHA256 = `${ENCRYPTION}sha256`;
export const ENVELOPED_SIGNATURE = `${SIGNATURE}enveloped-signature`;

export const REDIRECT_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
export const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';

const NAME_ID_FORMAT = 'urn:oasis:names:tc:SAML:';

/** The short names of `name_id_format`, and what they stand for. */
export const nameIdFormats = {
  persistent: `${NAME_ID_FORMAT}2.0:nameid-format:persistent`,
  transient: `${NAME_ID_FORMAT}2.0:nameid-format:transient`,
  email: `${NAME_ID_FORMAT}1.1:nameid-format:emailAddress`,
  unspecified: `${NAME_ID_FORMAT}1.1:nameid-format:unspecified`,
} as const;

export type NameIdFormat = keyof typeof nameIdFormats;
