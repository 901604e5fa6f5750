import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of DPoP proofs (RFC 9449), with a token request and with an access token. */
export const dpopFailures = {
  proofInvalid: {
    error: 'invalid_dpop_proof',
    status: 400,
    description: 'DPoP proof: {parameter}',
    cause:
      'The header DPoP is missing where the client, the API, the code or the refresh token needs it, or a check of the proof failed: the description names the header or claim.',
    fix: 'Make a new proof for each request: typ dpop+jwt, the public key as jwk, htm and htu of this request, iat, and a jti that was never used.',
    title: { en: 'The DPoP proof is missing or not valid', zh: 'DPoP 证明缺失或无效' },
    rule: {
      en: 'A DPoP proof is made for one request, with the key that the token is bound to.',
      zh: '每个 DPoP 证明只用于一个请求，并使用令牌所绑定的密钥。',
      reference: 'RFC 9449 section 4.3',
    },
  },
  proofMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'DPoP proof: missing',
    cause: 'The header DPoP is missing in a token request of a client with a profile of FAPI 2.0.',
    fix: 'Send a new proof in the header DPoP with each token request.',
    title: { en: 'The DPoP proof is missing', zh: '缺少 DPoP 证明' },
    rule: {
      en: 'A client with a profile of FAPI 2.0 sends a DPoP proof where its tokens are bound to a key.',
      zh: '使用 FAPI 2.0 配置的客户端，其令牌绑定密钥时须发送 DPoP 证明。',
      reference: 'RFC 9449 section 5, FAPI 2.0 Security Profile section 5.3.2.1',
    },
  },
  nonceNeeded: {
    error: 'use_dpop_nonce',
    status: 400,
    description: 'The DPoP proof needs the nonce of the header DPoP-Nonce.',
    cause:
      'The iat of the proof differs from the clock of the server by more than a minute, or its nonce was not issued by this server or is too old.',
    fix: 'Send the request again with a new proof that has the value of the header DPoP-Nonce as nonce. Client libraries do this automatically.',
    title: { en: 'The DPoP proof needs a nonce', zh: 'DPoP 证明需要 nonce' },
    rule: {
      en: 'A DPoP proof shows by its iat or by a nonce of the server that it was made just now.',
      zh: 'DPoP 证明须以 iat 或服务器的 nonce 表明它是刚刚生成的。',
      reference: 'RFC 9449 section 8',
    },
  },
  proofInvalidWithToken: {
    error: 'invalid_dpop_proof',
    status: 401,
    description: 'DPoP proof: {parameter}',
    cause:
      'The access token is bound to a key, and the header DPoP is missing, or a check of the proof failed: the description names the header or claim.',
    fix: 'Make a new proof for each request: typ dpop+jwt, the public key as jwk, htm and htu of this request, iat, a new jti, and ath, the hash of the access token.',
    title: { en: 'The DPoP proof of a token is missing or not valid', zh: '令牌的 DPoP 证明缺失或无效' },
    rule: {
      en: 'A DPoP proof is made for one request, and for the token that it goes with.',
      zh: '每个 DPoP 证明只用于一个请求及其访问令牌。',
      reference: 'RFC 9449 section 4.3',
    },
  },
  nonceNeededWithToken: {
    error: 'use_dpop_nonce',
    status: 401,
    description: 'The DPoP proof needs the nonce of the header DPoP-Nonce.',
    cause:
      'The iat of the proof differs from the clock of the server by more than a minute, or its nonce was not issued by this server or is too old.',
    fix: 'Send the request again with a new proof that has the value of the header DPoP-Nonce as nonce. Client libraries do this automatically.',
    title: { en: 'The DPoP proof of a token needs a nonce', zh: '令牌的 DPoP 证明需要 nonce' },
    rule: {
      en: 'A DPoP proof shows by its iat or by a nonce of the server that it was made just now.',
      zh: 'DPoP 证明须以 iat 或服务器的 nonce 表明它是刚刚生成的。',
      reference: 'RFC 9449 section 9',
    },
  },
  tooManyProofs: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many refused requests with a DPoP proof. Try again later.',
    cause:
      'Too many requests of clients without a secret came with a DPoP proof from this network address and were refused. The server remembers each proof.',
    fix: 'Wait as many seconds as the Retry-After header says, and find out why the earlier requests were refused.',
    title: { en: 'Too many refused requests with a DPoP proof', zh: '带 DPoP 证明而被拒绝的请求过多' },
    rule: {
      en: 'Refused requests with a DPoP proof of clients without a secret are limited by network address.',
      zh: '没有密钥凭证的客户端带 DPoP 证明而被拒绝的请求，按网络地址限制数量。',
      reference: 'RFC 9449 section 11.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
