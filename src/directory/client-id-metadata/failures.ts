import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of clients whose client_id is the address of a document that they publish. */
export const clientDocumentFailures = {
  clientDocumentInvalid: {
    error: 'invalid_client',
    status: 400,
    description: 'The client_id is an address, and what it gives is no client of this application.',
    cause:
      'The document at the address cannot be fetched, is no client metadata, names another client_id, or its host is not among those that the application allows (client_id_metadata).',
    fix: 'Open the address: it must answer with status 200, without a redirect, with at most 5 KB of application/json whose client_id is exactly this address. The explanation of the refusal names the fault.',
    title: { en: 'The client_id URL does not return valid client metadata', zh: '客户端地址没有给出客户端' },
    rule: {
      en: 'A client_id that is a URL points to a document that names the same client_id.',
      zh: '作为地址的 client_id 指向一份文档，文档中的 client_id 与该地址相同。',
      reference: 'OAuth Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document-02) sections 3 to 5',
    },
  },
  tooManyClientDocuments: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many different client addresses. Try again later.',
    cause:
      'Many requests from this network address named clients by addresses (client ID metadata documents) that had to be fetched.',
    fix: 'Use one client_id for all installations of a program. Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many client addresses', zh: '客户端地址过多' },
    rule: {
      en: 'Addresses of clients that have to be fetched are limited by network address.',
      zh: '需要抓取的客户端地址数按网络地址受限。',
      reference: 'OAuth Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document-02) section 8.6',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
