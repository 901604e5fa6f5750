/** Names of the Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant-03), for both roles. */

/** RFC 7523 section 2.1. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const ID_JAG_TYPE = 'urn:ietf:params:oauth:token-type:id-jag';
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
/** The `typ` of the header: no other token of an issuer is taken for an assertion, and none of them for another token (RFC 8725 section 3.11). */
export const ID_JAG_JWT_TYPE = 'oauth-id-jag+jwt';
