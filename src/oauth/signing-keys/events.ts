import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const signingKeyEvents = {
  'key.rotated': { title: { en: 'Signing key replaced', zh: '已轮换签名密钥' } },
  'key.deleted': { title: { en: 'Signing key deleted', zh: '已删除签名密钥' } },
} as const satisfies Record<string, EventDefinition>;
